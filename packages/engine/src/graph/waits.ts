import type { StepKey } from '../journal/fact.ts'
import type { GraphState, OpenWait } from './graph-state.ts'
import { ownMember } from './own-member.ts'

/** Opens a wait of the fact being applied. Without `at` its due time stays open until `stamp`. */
export function openWait(state: GraphState, step: StepKey, wait: OpenWait['wait'], at: number | undefined): void {
  const opened: OpenWait = { step, seq: state.seq, wait }
  const ms = delayOf(wait)
  if (wait.kind === 'timer' && 'at' in wait) opened.dueAt = wait.at
  else if (ms !== undefined && at !== undefined) opened.dueAt = at + ms
  else if (ms !== undefined) state.unstamped.push(step)
  state.waits[step] = opened
}

/**
 * The commit of the facts up to `throughSeq` was acknowledged at `at` (epoch ms of the database): their waits get the
 * due times that a replay of the journal would give them.
 */
export function stamp(state: GraphState, at: number, throughSeq: number = state.seq): void {
  if (state.unstamped.length === 0) return
  state.unstamped = state.unstamped.filter((step) => {
    const opened = ownMember(state.waits, step)
    if (opened === undefined || opened.dueAt !== undefined) return false
    if (opened.seq > throughSeq) return true
    opened.dueAt = at + (delayOf(opened.wait) ?? 0)
    return false
  })
}

function delayOf(wait: OpenWait['wait']): number | undefined {
  if ('ms' in wait) return wait.ms
  return 'timeoutMs' in wait ? wait.timeoutMs : undefined
}

/** Everything the instance waits for, in the order it began to. Retries that were handed out are not among it. */
export function openWaits(state: GraphState): readonly OpenWait[] {
  if (state.status !== 'running') return []
  return Object.values(state.waits).filter((opened) => opened.taken === undefined)
}

/** Epoch ms of the earliest due wait; `undefined` when only the outside world can wake the instance. */
export function nextDueAt(state: GraphState): number | undefined {
  let earliest: number | undefined
  if (state.status !== 'running') return undefined
  // Asked at every commit: no list is made.
  for (const step in state.waits) {
    const { dueAt, taken } = state.waits[step]!
    if (taken === undefined && dueAt !== undefined && (earliest === undefined || dueAt < earliest)) earliest = dueAt
  }
  return earliest
}

/** Shortest time from the commit under way to a due wait that it opens; `undefined` when it opens none. */
export function nextDueInMs(state: GraphState): number | undefined {
  const delays = state.unstamped.flatMap((step) => {
    const opened = ownMember(state.waits, step)
    return opened === undefined || opened.dueAt !== undefined ? [] : [delayOf(opened.wait) ?? 0]
  })
  return delays.length === 0 ? undefined : delays.reduce((a, b) => Math.min(a, b))
}

/** What is due at `now` (epoch ms of the database), the longest overdue first. */
export function dueWaits(state: GraphState, now: number): readonly OpenWait[] {
  return openWaits(state)
    .filter(({ dueAt }) => dueAt !== undefined && dueAt <= now)
    .sort((a, b) => a.dueAt! - b.dueAt! || a.seq - b.seq)
}
