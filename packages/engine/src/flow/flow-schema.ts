import type { JsonObject } from '@lockstep/base'
import { HIGHEST_PRIORITY, LOWEST_PRIORITY } from './flow-policy.ts'

const MOST = 100_000
/** Passes of a gate are counted one by one. */
const MOST_PASSES = 10_000
const MOST_BATCHED = 10_000

const whole = (description: string, maximum: number): JsonObject => ({
  type: 'integer',
  minimum: 1,
  maximum,
  description,
})
const duration: JsonObject = { $ref: '#/$defs/duration' }
const key: JsonObject = {
  type: ['object', 'string'],
  description: '{ "$expr": "input.customerId" }: starts with the same key share the limit. Absent: all starts do.',
}

const member = (properties: JsonObject, required: string[], description: string): JsonObject => ({
  type: 'object',
  properties: { key, ...properties },
  required,
  additionalProperties: false,
  description,
})

/** JSON schema of a flow policy, as a member of the graph document. */
export const flowSchema: JsonObject = {
  type: 'object',
  properties: {
    singleton: member(
      {
        onBusy: {
          type: 'string',
          enum: ['reject', 'attach', 'queue', 'replace'],
          description: 'What a start meets when one is alive; reject by default.',
        },
      },
      [],
      'One living instance at a time.',
    ),
    concurrency: member(
      { limit: whole('Instances alive at once.', MOST) },
      ['limit'],
      'Further starts wait, by priority and age.',
    ),
    rate: member(
      { limit: whole('Instances that begin in any span of per.', MOST_PASSES), per: duration },
      ['limit', 'per'],
      'Further starts wait.',
    ),
    throttle: member(
      { limit: whole('Starts that are accepted in any span of per.', MOST_PASSES), per: duration },
      ['limit', 'per'],
      'Further starts are refused.',
    ),
    debounce: member({ wait: duration, max: duration }, ['wait'], 'Starts when it is calm; the last input wins.'),
    batch: member(
      { size: whole('Inputs of one start.', MOST_BATCHED), wait: duration },
      ['size', 'wait'],
      'Gathers inputs into one start with an array of them.',
    ),
    priority: {
      type: ['integer', 'object', 'string'],
      minimum: LOWEST_PRIORITY,
      maximum: HIGHEST_PRIORITY,
      description: '0 to 9, or an expression over input; the highest goes first.',
    },
    ageing: { ...duration },
  },
  additionalProperties: false,
  description: 'How starts of this workflow are held back.',
}
