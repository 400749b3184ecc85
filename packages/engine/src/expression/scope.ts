import type { Json, JsonObject } from '@lockstep/base'

/** What an expression sees: plain JSON data, never changed by it. */
export interface ExpressionScope {
  readonly input: Json
  readonly vars: JsonObject
  /** By activity id: `{ output }` of every step that has finished. */
  readonly steps: JsonObject
  readonly item?: Json
  readonly index?: number
  readonly error?: Json
  readonly correlationId?: string | null
}

/** In the order in which a program takes them as parameters. */
export const SCOPE_NAMES = ['input', 'vars', 'steps', 'item', 'index', 'error', 'correlationId'] as const
export type ScopeName = (typeof SCOPE_NAMES)[number]

export function isScopeName(name: string): name is ScopeName {
  return (SCOPE_NAMES as readonly string[]).includes(name)
}

/** The JSON of those parts of `scope` that `references` name: an expression over one step does not carry them all across. */
export function scopeText(scope: ExpressionScope, references: readonly string[]): string {
  const wanted = new Set(references)
  const entries = SCOPE_NAMES.flatMap((name): [string, unknown][] => {
    if (wanted.has(name)) return [[name, scope[name]]]
    return name === 'steps' ? [[name, referencedSteps(scope.steps, references)]] : []
  })
  return JSON.stringify(Object.fromEntries(entries))
}

function referencedSteps(steps: JsonObject, references: readonly string[]): JsonObject {
  const ids = references.filter((name) => name.startsWith('steps.')).map((name) => name.slice('steps.'.length))
  return Object.fromEntries(ids.filter((id) => Object.hasOwn(steps, id)).map((id) => [id, steps[id]!]))
}
