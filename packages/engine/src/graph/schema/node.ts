import type { Json, JsonObject } from '@lockstep/base'
import type { Check } from './check.ts'

/** Whether a value passes one keyword. Says in `check` what is wrong, and in `seen` what it has looked at. */
export type Test = (value: Json, check: Check, seen: Seen | undefined) => boolean

/** One schema, ready to be held against values. */
export interface SchemaNode {
  readonly schema: JsonObject | boolean
  /** The document, by `$id`, that the schema is a part of. */
  readonly resource: object
  tests: readonly Test[]
}

/** What of an object or a list was looked at, for `unevaluatedProperties` and `unevaluatedItems`. */
export class Seen {
  readonly members = new Set<string>()
  readonly items = new Set<number>()

  add(other: Seen): void {
    for (const each of other.members) this.members.add(each)
    for (const each of other.items) this.items.add(each)
  }
}

/** Holds a value against a schema; `into` learns what was looked at when it fits. */
export function holds(node: SchemaNode, value: Json, check: Check, into?: Seen): boolean {
  check.enter()
  const isEntered = check.scope.at(-1) !== node.resource
  if (isEntered) check.scope.push(node.resource)
  const seen = into === undefined ? undefined : new Seen()
  let fits = true
  for (const test of node.tests) {
    if (test(value, check, seen)) continue
    fits = false
    if (!check.goesOn) break
  }
  if (fits && seen !== undefined) {
    check.spend(seen.members.size + seen.items.size)
    into!.add(seen)
  }
  if (isEntered) check.scope.pop()
  check.leave()
  return fits
}

/** The value of a member or an item. */
export function holdsAt(node: SchemaNode, key: string | number, value: Json, check: Check, seen?: Seen): boolean {
  check.path.push(key)
  const fits = holds(node, value, check, seen === undefined ? undefined : new Seen())
  check.path.pop()
  return fits
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
