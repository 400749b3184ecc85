import { isObject, type Json, type JsonObject } from './json.ts'

const DOT = /\b(steps\s*\??\.\s*)([A-Za-z_$][\w$]*)/g
const BRACKET = /\b(steps\s*(?:\?\.)?\s*\[\s*)(['"`])([^'"`\]]+)\2(\s*\])/g
/** Inputs that name a step outright. */
const NAMES_A_STEP = ['collect', 'step', 'activity']

/** The same text with other ids in `steps.<id>` and `steps['<id>']`. */
export function renameInText(text: string, ids: ReadonlyMap<string, string>): string {
  return text
    .replace(DOT, (whole, before: string, id: string) => {
      const next = ids.get(id)
      if (next === undefined) return whole
      return /^[A-Za-z_$][\w$]*$/.test(next) ? before + next : `${before.replace(/\??\.\s*$/, '')}['${next}']`
    })
    .replace(BRACKET, (whole, open: string, quote: string, id: string, close: string) => {
      const next = ids.get(id)
      return next === undefined ? whole : open + quote + next + quote + close
    })
}

/** The same value with other ids in every expression, however deep. */
export function renameInValue(value: Json, ids: ReadonlyMap<string, string>): Json {
  if (Array.isArray(value)) return value.map((each) => renameInValue(each, ids))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name === '$expr' && typeof each === 'string' ? renameInText(each, ids) : renameInValue(each, ids),
    ]),
  )
}

/** An activity, with all that is inside it, under other ids: its own, its connections', and those its values speak of. */
export function renameInActivity(activity: JsonObject, ids: ReadonlyMap<string, string>): JsonObject {
  const named = (id: Json): Json => (typeof id === 'string' ? (ids.get(id) ?? id) : id)
  const renamed = Object.entries(activity).map(([name, value]): [string, Json] => {
    if (name === 'id') return [name, named(value)]
    if (name === 'inputs' && isObject(value)) return [name, renameInInputs(value, ids)]
    if (name === 'x-disabled' && isObject(value)) return [name, renameInActivity(value, ids)]
    if (name === 'branches' && Array.isArray(value)) return [name, value.map((body) => renameInGraph(body, ids))]
    if (isObject(value) && Array.isArray(value.activities)) return [name, renameInGraph(value, ids)]
    if (name === 'connections' && Array.isArray(value)) return [name, renameInLines(value, ids)]
    return [name, renameInValue(value, ids)]
  })
  return Object.fromEntries(renamed)
}

function renameInGraph(graph: Json, ids: ReadonlyMap<string, string>): Json {
  if (!isObject(graph)) return graph
  const { activities, connections, ...rest } = graph
  return {
    ...rest,
    activities: Array.isArray(activities)
      ? activities.map((each) => (isObject(each) ? renameInActivity(each, ids) : each))
      : activities!,
    ...(connections === undefined
      ? {}
      : { connections: Array.isArray(connections) ? renameInLines(connections, ids) : connections }),
  }
}

export const renameInLines = (lines: readonly Json[], ids: ReadonlyMap<string, string>): readonly JsonObject[] =>
  (lines as readonly JsonObject[]).map((line) => ({
    ...line,
    from: ids.get(line.from as string) ?? line.from!,
    to: ids.get(line.to as string) ?? line.to!,
  }))

const renameInInputs = (inputs: JsonObject, ids: ReadonlyMap<string, string>): JsonObject =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, value]): [string, Json] => {
      if (typeof value !== 'string') return [name, renameInValue(value, ids)]
      if (name === 'code') return [name, renameInText(value, ids)]
      return [name, NAMES_A_STEP.includes(name) ? (ids.get(value) ?? value) : value]
    }),
  )
