import { isObject, type Json, type JsonObject, sameJson } from '../../designer/model/json.ts'

/** What differs, and what is new. A variable cannot be taken away: one that was left out stays as it is. */
export function changedVariables(before: unknown, after: Json | undefined): JsonObject {
  const known = isObject(before) ? before : {}
  if (!isObject(after)) return {}
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => !sameJson(known[name], value)))
}

/** As a schema, so that there is a field for each variable that the workflow declares. */
export const variablesSchema = (declared: Readonly<Record<string, unknown>> | undefined): unknown =>
  declared === undefined || Object.keys(declared).length === 0
    ? undefined
    : {
        type: 'object',
        properties: Object.fromEntries(Object.entries(declared).map(([name, each]) => [name, plain(each)])),
      }

/** What a variable is at first is not what it is asked to be. */
const plain = (declared: unknown): unknown => {
  if (!isObject(declared)) return {}
  const { default: _, ...schema } = declared
  return schema
}
