/**
 * Rounds of a job that runs after others. A round is a set: the parents that have ended as asked since it began. It begins with an
 * end, is named after that end's instance, and fires once, when the set is large enough. Adding a parent twice adds nothing, so an end
 * that is told twice, or a parent that runs twice before the others, cannot fire it early.
 *
 * A fired round goes on taking in the parents that are still missing, so that the slow third of "two of three" does not count for the next
 * round. The next round begins when a parent of a fired round ends again, or when the time within which ends belong together is over.
 */
import type { RunEnd } from '../store/schedule-store.ts'
import type { Dependency } from './dependency.ts'

export interface Round {
  readonly id: string
  readonly beganAt: number
  readonly parents: readonly string[]
  readonly fired: boolean
}

export interface RoundDecision {
  readonly round: Round | undefined
  readonly fires: boolean
}

export function decideRound(
  { kind, jobs, count, withinMs }: Dependency,
  round: Round | undefined,
  end: RunEnd,
  now: number,
): RoundDecision {
  const counts = jobs.includes(end.scheduleId) && (end.status === 'completed') === (kind === 'completed')
  if (!counts) return { round, fires: false }
  const parent = end.scheduleId
  const isOver =
    round === undefined || now - round.beganAt >= withinMs || (round.fired && round.parents.includes(parent))
  const current: Round = isOver ? { id: end.instanceId, beganAt: now, parents: [], fired: false } : round
  const parents = current.parents.includes(parent) ? current.parents : [...current.parents, parent]
  const fires = !current.fired && parents.length >= count
  return { round: { ...current, parents, fired: current.fired || fires }, fires }
}
