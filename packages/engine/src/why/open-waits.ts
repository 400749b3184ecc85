import { factFromRow, type RetryingFact, type WaitingFact } from '../journal/fact.ts'
import type { RecordedFact } from '../store/agenda-store.ts'

/** The last word of a step that it waits, or will try again. */
export interface OpenWait {
  readonly fact: WaitingFact | RetryingFact
  readonly at: number
}

/** Steps whose last fact, among these, is a wait or a retry. Some may be over: a container that ended took its steps with it. */
export function openWaits(facts: readonly RecordedFact[]): ReadonlyMap<string, OpenWait> {
  const open = new Map<string, OpenWait>()
  for (const row of facts) {
    const fact = factFromRow(row)
    if (fact.kind === 'waiting' || fact.kind === 'retrying') open.set(fact.step, { fact, at: row.at })
    else if (fact.kind === 'completed' || fact.kind === 'failed' || fact.kind === 'attempting') open.delete(fact.step)
    else if (fact.kind === 'ended') open.clear()
  }
  return open
}
