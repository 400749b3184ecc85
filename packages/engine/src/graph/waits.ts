import type { StepKey } from '../journal/fact.ts'
import { newChildren } from './children-progress.ts'
import { type DueQueues, dueQueues, enqueue, forgetQueues, isBefore } from './due-queue.ts'
import type { GraphState, OpenWait } from './graph-state.ts'
import { ownMember } from './own-member.ts'

/** Opens a wait of the fact being applied. Without `at` its due time stays open until `stamp`. */
export function openWait(
  state: GraphState,
  step: StepKey,
  wait: OpenWait['wait'],
  at: number | undefined,
  undo?: OpenWait['undo'],
): void {
  const opened: OpenWait = { step, seq: state.seq, wait, ...(undo !== undefined && { undo }) }
  if (wait.kind === 'children') opened.children = newChildren(wait)
  const ms = delayOf(wait)
  if (wait.kind === 'timer' && 'at' in wait) opened.dueAt = wait.at
  else if (ms !== undefined && at !== undefined) opened.dueAt = at + ms
  else if (ms !== undefined) state.unstamped.push(step)
  state.waits[step] = opened
  enqueue(state.waits, opened)
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
    enqueue(state.waits, opened)
    return false
  })
}

/** The wait goes on without a limit of time. */
export function neverDue(state: GraphState, step: StepKey): void {
  state.unstamped = state.unstamped.filter((each) => each !== step)
  const opened = state.waits[step]
  if (opened?.dueAt === undefined) return
  delete opened.dueAt
  forgetQueues(state.waits) // they are in order of due times
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

/** What the step waits for; `undefined` when it does not, or was handed out. */
export function openWaitOf(state: GraphState, step: StepKey): OpenWait | undefined {
  const opened = state.status === 'running' ? ownMember(state.waits, step) : undefined
  return opened?.taken === undefined ? opened : undefined
}

const NEVER: Pick<OpenWait, 'dueAt'> = {}

/** Epoch ms of the earliest due wait; `undefined` when only the outside world can wake the instance. */
export function nextDueAt(state: GraphState): number | undefined {
  if (state.status !== 'running') return undefined
  let earliest: number | undefined
  const keep = ({ dueAt }: Pick<OpenWait, 'dueAt'>): void => {
    if (dueAt !== undefined && (earliest === undefined || dueAt < earliest)) earliest = dueAt
  }
  const queues = dueQueues(state.waits, keep)
  if (queues !== undefined) for (const queue of [queues.retries, queues.others]) keep(queue.first() ?? NEVER)
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
  return due(state, now, ({ retries, others }) => [...retries.due(now), ...others.due(now)])
}

/** Only what runs again when it is due. */
export function dueRetries(state: GraphState, now: number): readonly OpenWait[] {
  return due(state, now, ({ retries }) => retries.due(now)).filter(({ wait }) => wait.kind === 'retry')
}

function due(state: GraphState, now: number, ofMany: (queues: DueQueues) => readonly OpenWait[]): readonly OpenWait[] {
  if (state.status !== 'running') return []
  const found: OpenWait[] = []
  const queues = dueQueues(state.waits, (opened) => {
    if (opened.dueAt !== undefined && opened.dueAt <= now) found.push(opened)
  })
  if (queues !== undefined) found.push(...ofMany(queues))
  return found.length < 2 ? found : found.sort((a, b) => (isBefore(a, b) ? -1 : 1))
}
