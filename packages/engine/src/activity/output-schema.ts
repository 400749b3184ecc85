import type { JsonObject } from '@lockstep/base'
import Type, { type TProperties } from 'typebox'

/** Output of an activity. More members than are named may come with later versions. */
export function outputSchema(properties: TProperties): JsonObject {
  return JSON.parse(JSON.stringify(Type.Object(properties))) as JsonObject
}
