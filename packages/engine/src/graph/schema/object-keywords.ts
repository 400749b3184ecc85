/** Keywords about objects. */
import type { Json, JsonObject } from '@lockstep/base'
import type { BoundedPattern } from '../pattern/bounded-pattern.ts'
import type { Check } from './check.ts'
import { holds, holdsAt, isObject, type SchemaNode, type Test } from './node.ts'
import type { SchemaTree } from './tree.ts'

type ObjectTest = (value: JsonObject, ...rest: Tail<Parameters<Test>>) => boolean
type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : never

/** Names in a schema that are looked for at the price of one step. */
const NAMES_A_STEP = 8

/** All but `unevaluatedProperties`, which comes when everything else was looked at. */
export function* objectTests(self: SchemaNode, schema: JsonObject, tree: SchemaTree): Generator<Test, void, void> {
  for (const test of tests(self, schema, tree))
    yield (value, check, seen) => !isObject(value) || test(value, check, seen)
}

function* tests(self: SchemaNode, schema: JsonObject, tree: SchemaTree): Generator<ObjectTest, void, void> {
  const { maxProperties, minProperties, required, propertyNames, additionalProperties } = schema
  if (typeof maxProperties === 'number')
    yield (value, check) =>
      namesOf(value, check).length <= maxProperties ||
      check.fail(schema, 'maxProperties', `must NOT have more than ${maxProperties} properties`, {
        limit: maxProperties,
      })
  if (typeof minProperties === 'number')
    yield (value, check) =>
      namesOf(value, check).length >= minProperties ||
      check.fail(schema, 'minProperties', `must NOT have fewer than ${minProperties} properties`, {
        limit: minProperties,
      })
  if (Array.isArray(required) && required.length > 0) yield requiredTest(schema, required.map(String))
  for (const [name, needed] of Object.entries({
    ...(schema.dependencies as JsonObject | undefined),
    ...(schema.dependentRequired as JsonObject | undefined),
  }))
    if (Array.isArray(needed)) yield dependencyTest(schema, name, needed.map(String))
  if (propertyNames !== undefined) yield namesTest(schema, tree.node(propertyNames as JsonObject, self))
  const named = entriesOf(schema.properties, tree, self)
  const patterned = entriesOf(schema.patternProperties, tree, self).map(
    ([source, node]) => [tree.pattern(source), node] as const,
  )
  if (additionalProperties !== undefined) {
    const patterns = patterned.map(([pattern]) => pattern)
    const isKnown = knownBy(new Set(named.map(([name]) => name)), patterns)
    yield additionalTest(schema, isKnown, tree.node(additionalProperties as JsonObject, self))
  }
  if (named.length > 0) yield propertiesTest(named)
  for (const [pattern, node] of patterned) yield patternTest(pattern, node)
}

function entriesOf(
  map: Json | undefined,
  tree: SchemaTree,
  self: SchemaNode,
): readonly (readonly [string, SchemaNode])[] {
  return Object.entries((map ?? {}) as JsonObject).map(([name, inner]) => [name, tree.node(inner as JsonObject, self)])
}

const has = (value: JsonObject, name: string): boolean => Object.hasOwn(value, name) && value[name] !== undefined

function namesOf(value: JsonObject, check: Check): readonly string[] {
  const names = Object.keys(value)
  check.spend(names.length)
  return names
}

const requiredTest =
  (schema: JsonObject, required: readonly string[]): ObjectTest =>
  (value, check) => {
    check.spend(required.length / NAMES_A_STEP)
    let fits = true
    for (const missingProperty of required) {
      if (has(value, missingProperty)) continue
      fits = check.fail(schema, 'required', `must have required property '${missingProperty}'`, { missingProperty })
      if (!check.goesOn) break
    }
    return fits
  }

const dependencyTest =
  (schema: JsonObject, property: string, needed: readonly string[]): ObjectTest =>
  (value, check) => {
    if (!has(value, property)) return true
    check.spend(needed.length / NAMES_A_STEP)
    const missing = needed.find((name) => !has(value, name))
    return (
      missing === undefined ||
      check.fail(schema, 'dependentRequired', `must have property ${missing} when property ${property} is present`, {
        ...{ property, missingProperty: missing },
      })
    )
  }

const namesTest =
  (schema: JsonObject, node: SchemaNode): ObjectTest =>
  (value, check) => {
    let fits = true
    for (const propertyName of namesOf(value, check)) {
      const outer = check.propertyName
      check.propertyName = propertyName
      const isFit = check.briefly(() => holds(node, propertyName, check))
      check.propertyName = outer
      if (isFit) continue
      fits = check.fail(schema, 'propertyNames', 'property name must be valid', { propertyName })
      if (!check.goesOn) break
    }
    return fits
  }

function knownBy(names: ReadonlySet<string>, patterns: readonly BoundedPattern[]) {
  return (name: string, check: Check): boolean =>
    names.has(name) || patterns.some((pattern) => pattern.test(name, check.spend))
}

const additionalTest =
  (schema: JsonObject, isKnown: ReturnType<typeof knownBy>, node: SchemaNode): ObjectTest =>
  (value, check, seen) => {
    let fits = true
    for (const name of namesOf(value, check)) {
      if (value[name] === undefined || isKnown(name, check)) continue
      seen?.members.add(name)
      const isFit =
        schema.additionalProperties === false
          ? check.fail(schema, 'additionalProperties', 'must NOT have additional properties', {
              additionalProperty: name,
            })
          : holdsAt(node, name, value[name], check, seen)
      if (isFit) continue
      fits = false
      if (!check.goesOn) break
    }
    return fits
  }

const propertiesTest =
  (named: readonly (readonly [string, SchemaNode])[]): ObjectTest =>
  (value, check, seen) => {
    check.spend(named.length / NAMES_A_STEP)
    let fits = true
    for (const [name, node] of named) {
      if (!has(value, name)) continue
      seen?.members.add(name)
      if (holdsAt(node, name, value[name]!, check, seen)) continue
      fits = false
      if (!check.goesOn) break
    }
    return fits
  }

const patternTest =
  (pattern: BoundedPattern, node: SchemaNode): ObjectTest =>
  (value, check, seen) => {
    let fits = true
    for (const name of namesOf(value, check)) {
      if (value[name] === undefined || !pattern.test(name, check.spend)) continue
      seen?.members.add(name)
      if (holdsAt(node, name, value[name], check, seen)) continue
      fits = false
      if (!check.goesOn) break
    }
    return fits
  }

export function* unevaluatedPropertiesTest(
  self: SchemaNode,
  schema: JsonObject,
  tree: SchemaTree,
): Generator<Test, void, void> {
  const { unevaluatedProperties: rest } = schema
  if (rest === undefined) return
  const node = tree.node(rest as JsonObject, self)
  yield (value, check, seen) => {
    if (!isObject(value) || seen === undefined) return true
    let fits = true
    for (const name of namesOf(value, check)) {
      if (value[name] === undefined || seen.members.has(name)) continue
      seen.members.add(name)
      const isFit =
        rest === false
          ? check.fail(schema, 'unevaluatedProperties', 'must NOT have unevaluated properties', {
              unevaluatedProperty: name,
            })
          : holdsAt(node, name, value[name], check, seen)
      if (isFit) continue
      fits = false
      if (!check.goesOn) break
    }
    return fits
  }
}
