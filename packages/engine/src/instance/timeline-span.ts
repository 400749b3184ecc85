import type { Failure, StepKey } from '../journal/fact.ts'
import type { JournalOutline } from '../store/instance-reader.ts'
import type { ActivityStatus } from './activity-tally.ts'

export const spanKinds = ['step', 'container', 'wait', 'timer', 'lock', 'child', 'retry', 'paused'] as const
/** `retry`: the time between two attempts. `wait`: for an event, a signal, a person or a worker. `paused`: the whole instance, by an operator. */
export type SpanKind = (typeof spanKinds)[number]

/** `unknown`: it ends farther on than was looked. */
export type SpanStatus = ActivityStatus | 'unknown'

/** One thing that an instance did or waited for, from when to when. */
export interface TimelineSpan {
  readonly kind: SpanKind
  /** Absent: of the whole instance. */
  readonly step: StepKey | undefined
  readonly activity: string | undefined
  /** Of the activity, as the document has it. */
  readonly name: string | undefined
  /** What it waits for, where that has a name. */
  readonly waitsFor: string | undefined
  readonly childId: string | undefined
  /** From 1. Of a retry: the attempt that failed. */
  readonly attempt: number
  readonly status: SpanStatus
  /** Epoch milliseconds, like all times here. */
  readonly startedAt: number
  /** Absent: it goes on. */
  readonly endedAt: number | undefined
  /** When it was over at the latest, where that was known when it began. */
  readonly dueAt: number | undefined
  /** The first fact that tells of it. Absent: none does yet. */
  readonly fromSeq: number | undefined
  /** The last fact that is part of it. Absent: it goes on. */
  readonly toSeq: number | undefined
  /** Nodes that wrote its facts, in order. More than one: it moved. */
  readonly nodeIds: readonly string[]
  readonly outcome: string | undefined
  readonly error: Failure | undefined
  /** Number among those that the same fact tells of first. */
  readonly n: number
}

export type GrowingSpan = { -readonly [Name in keyof TimelineSpan]: TimelineSpan[Name] } & {
  readonly nodeIds: string[]
  /** The last fact that is part of it so far. */
  lastAt: number
  lastSeq: number
  /** Containers: it fails with a step inside. */
  failed: boolean
}

/** Of one span: what moves about for weeks has been nearly everywhere. */
const MOST_NODES = 20

type Known = Partial<GrowingSpan> & Pick<GrowingSpan, 'kind' | 'step' | 'activity' | 'name' | 'attempt' | 'startedAt'>

/** One literal: spans of one shape are made fastest, and there is one for nearly every fact. */
export function newSpan(known: Known, { seq, at, nodeId }: JournalOutline, n: number): GrowingSpan {
  return {
    kind: known.kind,
    step: known.step,
    activity: known.activity,
    name: known.name,
    waitsFor: known.waitsFor,
    childId: known.childId,
    attempt: known.attempt,
    status: known.status ?? 'running',
    startedAt: known.startedAt,
    endedAt: undefined,
    dueAt: known.dueAt,
    fromSeq: seq,
    toSeq: undefined,
    nodeIds: [nodeId],
    outcome: undefined,
    error: undefined,
    n,
    lastAt: at,
    lastSeq: seq,
    failed: false,
  }
}

export function touchSpan(span: GrowingSpan | undefined, { seq, at, nodeId }: JournalOutline): void {
  if (span === undefined) return
  span.lastAt = at
  span.lastSeq = seq
  if (span.nodeIds.at(-1) === nodeId) return
  if (span.nodeIds.length === MOST_NODES) span.nodeIds.pop()
  span.nodeIds.push(nodeId)
}

export function endSpan(span: GrowingSpan, fact: JournalOutline, status: ActivityStatus, at = fact.at): void {
  touchSpan(span, fact)
  span.status = status
  span.endedAt = at
  span.toSeq = fact.seq
  if (fact.kind === 'completed' && status === 'completed') span.outcome = fact.outcome ?? 'done'
  if (status === 'faulted') span.error = fact.error
}
