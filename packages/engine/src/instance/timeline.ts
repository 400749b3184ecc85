/**
 * What an instance did with its time, told from its facts one by one. The journal tells when steps ended, waited or failed; that one began is told by
 * what led there, and that a container ended or a branch was given up by what lives after the last fact. Spans come in the order in which the journal
 * tells of them first: more facts only add to them. What is kept grows with what is open and with the
 * containers that were opened, not with the journal. Plain data, so that it can be
 * copied and gone on with.
 */
import type { GraphProgram } from '../graph/graph-program.ts'
import type { StepKey } from '../journal/fact.ts'
import type { JournalOutline } from '../store/instance-reader.ts'
import type { LiveStep } from './activity-tally.ts'
import { failurePath } from './failing-containers.ts'
import { endedBefore, noteEnd, type StepEnds } from './step-ends.ts'
import { activityOf, ownerOf, renamedStep } from './step-place.ts'
import { endSpan, type GrowingSpan, newSpan, type SpanKind, touchSpan } from './timeline-span.ts'

export interface Timeline {
  /** The last fact that was told. */
  seq: number
  /** Step keys are places in a document; else they are names that a function gave. */
  readonly isGraph: boolean
  /** What each step that has not ended is at. */
  readonly open: Map<StepKey, GrowingSpan>
  readonly containers: Map<StepKey, GrowingSpan>
  /** Containers that the end of the instance or a step back has ended: a fact inside opens them again. */
  readonly past: Set<StepKey>
  /** What the end of the instance cut off: it goes on when the instance does. */
  cutOff: readonly GrowingSpan[]
  paused: GrowingSpan | undefined
  readonly ends: StepEnds
  /** Of the last fact. */
  at: number
  /** Since when nothing stands in the way of the instance. */
  goesOnAt: number
}

export const emptyTimeline = (kind: 'graph' | 'function'): Timeline => ({
  ...{ seq: 0, isGraph: kind === 'graph', open: new Map(), containers: new Map(), past: new Set() },
  ...{ cutOff: [], paused: undefined, ends: new Map(), at: 0, goesOnAt: 0 },
})

/** One fact being told, and the spans that it is the first to tell of. */
interface Telling {
  readonly line: Timeline
  readonly fact: JournalOutline
  readonly program: GraphProgram | undefined
  readonly told: GrowingSpan[]
}

const waitKinds: Readonly<Record<string, SpanKind>> = {
  timer: 'timer',
  lock: 'lock',
  child: 'child',
  children: 'child',
}

/** They name a step, and are about the instance. */
const notOfSteps: ReadonlySet<string> = new Set(['retried', 'rewound', 'undoing'])

/** Tells the next fact. `then`: of a step back, the timeline at the fact that it goes back to. Answers the spans that begin with it; they grow later. */
export function tellFact(
  line: Timeline,
  fact: JournalOutline,
  program: GraphProgram | undefined,
  then?: Timeline,
): readonly GrowingSpan[] {
  const telling: Telling = { line, fact, program, told: [] }
  line.seq = fact.seq
  if (fact.step === undefined || notOfSteps.has(fact.kind)) tellInstance(telling, then)
  else tellStep(telling, fact.step)
  line.at = fact.at
  return telling.told
}

function tellInstance(telling: Telling, then: Timeline | undefined): void {
  const { line, fact } = telling
  switch (fact.kind) {
    case 'started':
    case 'forked':
      line.goesOnAt = fact.at
      return
    case 'paused':
      line.paused ??= begin(telling, 'paused', undefined, { startedAt: fact.at, status: 'suspended' })
      return
    case 'continued':
      if (line.paused !== undefined) endSpan(line.paused, fact, 'completed')
      line.paused = undefined
      line.goesOnAt = fact.at
      return
    case 'ended':
      line.cutOff = closeAll(line, fact, fact.status === 'completed')
      return
    case 'retried':
      line.goesOnAt = fact.at
      reopen(telling, line.cutOff)
      line.cutOff = []
      return
    case 'rewound':
      line.goesOnAt = fact.at
      closeAll(line, fact, false)
      line.cutOff = []
      for (const container of then?.containers.keys() ?? []) line.past.add(container)
      reopen(telling, [...(then?.open.values() ?? []), ...(then?.cutOff ?? [])])
      return
    case 'migrated':
      if (fact.mapping !== undefined) rename(line, fact.mapping)
  }
}

function tellStep(telling: Telling, step: StepKey): void {
  const { line, fact } = telling
  touchAround(telling, step)
  switch (fact.kind) {
    case 'attempting':
      settleRetry(telling, step)
      if (!line.open.has(step)) line.open.set(step, beginAttempt(telling, step))
      return
    case 'waiting': {
      settleRetry(telling, step)
      const { attempt = 1 } = line.open.get(step) ?? {}
      finishOpen(telling, step, 'completed')
      const { waitKind = '', waitName: waitsFor, childId, waitMs, waitUntil } = fact
      const dueAt = waitUntil ?? (waitMs === undefined ? undefined : fact.at + waitMs)
      const about = { startedAt: fact.at, attempt, status: 'suspended', waitsFor, childId, dueAt } as const
      line.open.set(step, begin(telling, waitKinds[waitKind] ?? 'wait', step, about))
      return
    }
    case 'child-ended':
    case 'locked':
      touchSpan(line.open.get(step) ?? line.containers.get(step), fact)
      return
    case 'retrying': {
      settleRetry(telling, step)
      if (!finishOpen(telling, step, 'faulted')) endSpan(beginAttempt(telling, step), fact, 'faulted')
      const dueAt = fact.at + (fact.delayMs ?? 0)
      line.open.set(step, begin(telling, 'retry', step, { startedAt: fact.at, status: 'retrying', dueAt }))
      return
    }
    case 'opened':
      finishOpen(telling, step, 'completed')
      if (line.containers.has(step)) touchSpan(line.containers.get(step), fact)
      else line.containers.set(step, begin(telling, 'container', step, { startedAt: fact.at }))
      noteEnd(line.ends, step, fact.at)
      return
    case 'completed':
    case 'failed':
      endStep(telling, step)
  }
}

function endStep(telling: Telling, step: StepKey): void {
  const { line, fact, program } = telling
  const status = fact.kind === 'failed' ? 'faulted' : 'completed'
  const container = line.containers.get(step)
  settleRetry(telling, step)
  if (container !== undefined) endSpan(container, fact, status)
  else if (!finishOpen(telling, step, status)) endSpan(beginAttempt(telling, step), fact, status)
  line.containers.delete(step)
  noteEnd(line.ends, step, fact.at)
  if (status === 'completed' || program === undefined) return
  const { failing } = failurePath(program, step, (each) => line.containers.get(each)?.activity)
  for (const each of failing) line.containers.get(each)!.failed = true
}

/** An attempt of a step of which nothing was told before. */
function beginAttempt(telling: Telling, step: StepKey): GrowingSpan {
  const { line, fact, program } = telling
  const ended = program && endedBefore(program, line.ends, step)
  const isFirst = program !== undefined && ended === undefined && ownerOf(step) === undefined && !led(program, step)
  const since = ended ?? (isFirst ? line.goesOnAt : line.at)
  const startedAt = Math.min(fact.at, Math.max(since, line.goesOnAt))
  return begin(telling, 'step', step, { startedAt, attempt: fact.attempt ?? 1 })
}

const led = (program: GraphProgram, step: StepKey): boolean =>
  !program.root.starts.some(({ id }) => id === activityOf(step))

/** The time between two attempts is over when the next one is told of: it ended when it was due, and the attempt has gone on since. */
function settleRetry(telling: Telling, step: StepKey): void {
  const { line, fact } = telling
  const retry = line.open.get(step)
  if (retry?.kind !== 'retry') return
  const endedAt = Math.min(fact.at, Math.max(retry.startedAt, retry.dueAt ?? fact.at))
  endSpan(retry, fact, 'completed', endedAt)
  line.open.set(step, begin(telling, 'step', step, { startedAt: endedAt, attempt: fact.attempt ?? retry.attempt + 1 }))
}

/** `false`: there was nothing to end. */
function finishOpen({ line, fact }: Telling, step: StepKey, status: 'completed' | 'faulted'): boolean {
  const span = line.open.get(step)
  if (span === undefined) return false
  endSpan(span, fact, status)
  line.open.delete(step)
  return true
}

type About = Partial<GrowingSpan> & Pick<GrowingSpan, 'startedAt'>

function begin({ line, fact, program, told }: Telling, kind: SpanKind, step: StepKey | undefined, about: About) {
  const activity = step && (line.isGraph ? activityOf(step) : step.replace(/#\d+$/, ''))
  const name = (activity && program?.byId.get(activity)?.name) ?? activity
  const attempt = kind === 'retry' || kind === 'step' ? (fact.attempt ?? 1) : 1
  const span = newSpan({ kind, step, activity, name, attempt, ...about }, fact, told.length)
  told.push(span)
  return span
}

/** Containers live by what happens inside. */
function touchAround(telling: Telling, step: StepKey): void {
  const { line, fact } = telling
  for (let owner = ownerOf(step); owner !== undefined; owner = ownerOf(owner)) {
    if (line.past.delete(owner))
      line.containers.set(owner, begin(telling, 'container', owner, { startedAt: line.goesOnAt }))
    const container = line.containers.get(owner)
    if (container === undefined) continue
    touchSpan(container, fact)
    noteEnd(line.ends, owner, fact.at)
  }
}

/** Ends whatever is open. Answers the steps among it. */
function closeAll(line: Timeline, fact: JournalOutline, whole: boolean): readonly GrowingSpan[] {
  const cut = [...line.open.values()]
  const around = new Set(cut.flatMap(({ step }) => ownersOf(step!)))
  for (const span of cut) endSpan(span, fact, 'cancelled')
  for (const [step, span] of line.containers) {
    endContainer(span, around.has(step) && !whole ? 'cancelled' : 'completed', around.has(step) ? fact.at : undefined)
    line.past.add(step)
  }
  line.open.clear()
  line.containers.clear()
  if (line.paused !== undefined) endSpan(line.paused, fact, 'completed')
  line.paused = undefined
  return cut
}

function endContainer(span: GrowingSpan, status: 'completed' | 'cancelled', at = span.lastAt): void {
  span.endedAt = at
  span.toSeq = span.lastSeq
  span.status = span.failed ? 'faulted' : status
}

/** Goes on with what was cut off, as spans of their own: between the two nothing was done. */
function reopen(telling: Telling, spans: readonly GrowingSpan[]): void {
  const { line, fact } = telling
  for (const { kind, step, attempt, waitsFor, childId, dueAt } of spans) {
    if (step === undefined || line.open.has(step)) continue
    touchAround(telling, step)
    const status = kind === 'step' ? 'running' : kind === 'retry' ? 'retrying' : 'suspended'
    const about = { startedAt: fact.at, attempt, status, waitsFor, childId, dueAt } as const
    line.open.set(step, begin(telling, kind, step, about))
  }
}

function ownersOf(step: StepKey): readonly StepKey[] {
  const owners: StepKey[] = []
  for (let owner = ownerOf(step); owner !== undefined; owner = ownerOf(owner)) owners.push(owner)
  return owners
}

function rename(line: Timeline, mapping: Readonly<Record<string, string>>): void {
  for (const spans of [line.open, line.containers])
    for (const [step, span] of [...spans]) {
      const renamed = renamedStep(step, mapping)
      if (renamed === step) continue
      spans.delete(step)
      spans.set(renamed, span)
    }
}

/**
 * Ends what no longer lives after the last fact, which no fact tells of: containers that are through, branches that were given up. Answers the attempts that are
 * under way and that no fact tells of yet. Nothing can be told to it afterwards.
 */
export function finishTimeline(
  line: Timeline,
  live: readonly LiveStep[],
  program: GraphProgram | undefined,
): readonly GrowingSpan[] {
  const living = new Map(live.map((each) => [each.step, each.phase]))
  for (const [step, span] of line.open) {
    if (living.has(step)) continue
    const around = ownersOf(step)
      .map((owner) => line.containers.get(owner))
      .find((each) => each !== undefined)
    span.endedAt = Math.max(span.startedAt, around?.lastAt ?? line.at)
    span.toSeq = around?.lastSeq ?? line.seq
    span.status = 'cancelled'
    if (around !== undefined && around.status === 'running') around.lastAt = Math.max(around.lastAt, span.endedAt)
  }
  for (const [step, span] of line.containers) if (!living.has(step)) endContainer(span, 'completed')
  return live.flatMap(({ step, phase }) =>
    phase === 'active' && !line.open.has(step) ? [underWay(line, step, program)] : [],
  )
}

function underWay(line: Timeline, step: StepKey, program: GraphProgram | undefined): GrowingSpan {
  const fact = { seq: line.seq, at: line.at, attempt: undefined } as unknown as JournalOutline
  const span = beginAttempt({ line, fact, program, told: [] }, step)
  return { ...span, fromSeq: undefined, nodeIds: [] }
}
