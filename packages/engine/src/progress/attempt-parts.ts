import type { StepKey } from '../journal/fact.ts'
import { InvalidPart } from './errors.ts'
import type { AttemptParts } from './part-writer.ts'

/** What code sees of the parts of its attempt. */
export type HandedOut = Pick<AttemptParts, 'emit' | 'emitted'>

/** Of code whose result is one commit, or is there at once. */
export function noParts(step: StepKey): HandedOut {
  return {
    emit: async (_, number = 1) => {
      throw new InvalidPart({ step, number, rule: 'this step has no parts, only an end' })
    },
    emitted: async () => 0,
  }
}
