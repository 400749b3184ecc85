import type { Json } from '@lockstep/base'
import type { InputInvalid } from '../definition/errors.ts'
import { factFromRow, type StartedFact } from '../journal/fact.ts'
import type { TakenSchedule } from '../store/schedule-store.ts'

export type Misfit = InstanceType<typeof InputInvalid>

/** What is wrong with the input of a run, by the schema of the version that would run. */
export type InputCheck = (input: Json) => Misfit | undefined

const MOST_PLACES = 3
const LONGEST_REASON = 500

/** Why a run did not start, as its schedule lists it. */
export function misfitReason({ details: { problems } }: Misfit): string {
  const places = problems.slice(0, MOST_PLACES).map(({ pointer, text }) => `${pointer || '/'} ${text}`)
  const more = problems.length > MOST_PLACES ? [`${problems.length - MOST_PLACES} more`] : []
  return `input-invalid: ${[...places, ...more].join('; ')}`.slice(0, LONGEST_REASON)
}

/** What the first of the waiting runs would be given; `undefined`: it is not known here yet. */
export function waitingInput({ nextStarted }: TakenSchedule): { readonly input: Json } | undefined {
  if (nextStarted === undefined) return undefined
  return { input: (factFromRow({ kind: 'started', data: nextStarted }) as StartedFact).input }
}
