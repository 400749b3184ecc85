import { InvalidOption } from '@lockstep/base'

/** How much one instance may do and keep. A breach stops that instance alone, with an incident; it goes on by a retry once the limit was raised. */
export interface EngineLimits {
  /** Facts that it may record without coming to rest: a loop that never ends. @default 200_000 */
  readonly stepsPerBurst: number
  /** Facts of its whole journal. @default 1_000_000 */
  readonly stepsPerInstance: number
  /** Workflows that may run one another, in a line. @default 32 */
  readonly depth: number
  /** Items of one loop, branches of one step. @default 100_000 */
  readonly fanOut: number
  /** Bytes of one output, as JSON. @default 1_048_576 */
  readonly payloadBytes: number
  /** Bytes of what it must remember to go on, as JSON. @default 33_554_432 */
  readonly stateBytes: number
}

const defaults: EngineLimits = {
  stepsPerBurst: 200_000,
  stepsPerInstance: 1_000_000,
  depth: 32,
  fanOut: 100_000,
  payloadBytes: 1_048_576,
  stateBytes: 33_554_432,
}

/** More than a row of the store can hold. */
const MOST_BYTES = 268_435_456

export function resolveEngineLimits(given: Partial<EngineLimits> = {}, mostDepth?: number): EngineLimits {
  const limits = { ...defaults, ...(mostDepth === undefined ? {} : { depth: mostDepth }), ...given }
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(defaults, name))
      throw new InvalidOption({ option: `limits.${name}`, rule: `one of ${Object.keys(defaults).join(', ')}` })
    const most = name.endsWith('Bytes') ? MOST_BYTES : 2_000_000_000
    if (!Number.isInteger(value) || value < 1 || value > most)
      throw new InvalidOption({ option: `limits.${name}`, rule: `a whole number from 1 to ${most}`, value })
  }
  return limits
}
