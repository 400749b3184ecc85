import type { FactRow, Failure } from '../../api/wire.ts'
import type { Look } from '../../ui/status.tsx'
import { activityOf, scopeOf } from './step-key.ts'

/**
 * `lock`: it waits for a lock of the cluster. `suspended`: for anything else. `queued`: no node had the instance yet; the journal tells when the
 * first step had ended, not when a node took it up, so that the first step is part of it.
 */
export type SegmentKind = 'queued' | 'running' | 'lock' | 'suspended' | 'backoff' | 'open'

export interface Segment {
  readonly kind: SegmentKind
  readonly from: number
  /** Absent: it goes on. */
  readonly to?: number
}

/** One run of one step, as the journal tells it. */
export interface Execution {
  readonly key: string
  readonly activity: string
  readonly status: Look
  readonly begunAt: number
  readonly endedAt: number | undefined
  readonly attempts: number
  readonly segments: readonly Segment[]
  readonly output: unknown
  readonly outcome: string | undefined
  readonly error: Failure | undefined
  readonly wait: Readonly<Record<string, unknown>> | undefined
  readonly facts: readonly FactRow[]
}

interface Open {
  readonly key: string
  readonly facts: FactRow[]
  begunAt: number
  cursor: number
  segments: Segment[]
  status: Look
  endedAt: number | undefined
  attempts: number
  output: unknown
  outcome: string | undefined
  error: Failure | undefined
  wait: Readonly<Record<string, unknown>> | undefined
  container: boolean
  /** Of its first segment. */
  first: SegmentKind
}

export interface JournalReading {
  readonly facts: readonly FactRow[]
  /** Which activities lead to which; without it a step is taken to begin where the fact before it was written. */
  readonly before?: ReadonlyMap<string, readonly string[]> | undefined
  /** Keys of steps that have begun and not ended, where that is known: containers write no fact when they end. */
  readonly live?: ReadonlySet<string> | undefined
}

/** Runs of steps in the order in which they first appear. The journal tells ends, not beginnings: those are told by what led there. */
export function executionsOf({ facts, before, live }: JournalReading): readonly Execution[] {
  const open = new Map<string, Open>()
  const ends = new Ends()
  let last = facts[0] === undefined ? 0 : Date.parse(facts[0].at)
  let lastInstance = last
  // A start that a node took at birth bears its claim; in a copy, no fact of the original does.
  const [start, second] = facts
  const queuedFrom = start?.kind === 'started' && start.claimNo === 0 && second?.claimNo !== 0 ? last : undefined
  for (const fact of facts) {
    const at = Date.parse(fact.at)
    const key = fact.data.step
    if (typeof key !== 'string') {
      if (fact.kind === 'retried' || fact.kind === 'continued' || fact.kind === 'started') lastInstance = at
      if (fact.kind === 'ended') closeAll(open, at)
      last = at
      continue
    }
    if (fact.kind === 'rewound') {
      last = at
      continue
    }
    let run = open.get(key)
    if (run === undefined || run.endedAt !== undefined) {
      run = begin(key, beginning(key, ends, before, lastInstance) ?? last)
      if (run.begunAt === queuedFrom) run.first = 'queued'
      open.set(key, run)
    }
    apply(run, fact, at)
    if (run.endedAt !== undefined || run.container) ends.set(key, at)
    // Containers write nothing when they end: what leads on from them begins after the last of their parts.
    for (const around of keysAround(key)) if (open.get(around)?.container === true) ends.set(around, at)
    last = at
  }
  const runs = [...open.values()]
  closeContainers(runs, live, last)
  return runs.map(({ cursor: _, container: __, first: ___, ...run }) => ({
    ...run,
    activity: activityOf(run.key),
    segments: run.segments.filter((part) => part.to === undefined || part.to > part.from),
  }))
}

const begin = (key: string, at: number): Open => ({
  key,
  facts: [],
  begunAt: at,
  cursor: at,
  segments: [],
  status: 'running',
  endedAt: undefined,
  attempts: 1,
  output: undefined,
  outcome: undefined,
  error: undefined,
  wait: undefined,
  container: false,
  first: 'running',
})

/** When the runs of each activity last ended, apart for every turn of a loop: a journal may tell of thousands. */
class Ends {
  readonly #at = new Map<string, Map<string, number>>()

  /** Facts come in the order of their moments: the last one told is the latest. */
  set(key: string, at: number): void {
    const scope = scopeOf(key)
    const within = this.#at.get(scope) ?? new Map<string, number>()
    this.#at.set(scope, within.set(activityOf(key), at))
  }

  of(scope: string, activities: readonly string[]): readonly number[] {
    const within = this.#at.get(scope)
    return activities.flatMap((activity) => within?.get(activity) ?? [])
  }
}

/** When the last step that leads to it had ended, or its container was opened. */
function beginning(
  key: string,
  ends: Ends,
  before: ReadonlyMap<string, readonly string[]> | undefined,
  started: number,
): number | undefined {
  if (before === undefined) return undefined
  const scope = scopeOf(key)
  const led = before.get(activityOf(key)) ?? []
  const times = ends.of(scope, led)
  if (times.length > 0) return Math.max(started, ...times)
  return led.length === 0 && scope === '' ? started : undefined
}

function apply(run: Open, fact: FactRow, at: number): void {
  run.facts.push(fact)
  const { data } = fact
  const cut = (): void => {
    const part = run.segments.at(-1)
    if (part !== undefined && part.to === undefined) run.segments[run.segments.length - 1] = { ...part, to: at }
    else run.segments.push({ kind: run.segments.length === 0 ? run.first : 'running', from: run.cursor, to: at })
    run.cursor = at
  }
  switch (fact.kind) {
    case 'waiting': {
      cut()
      run.wait = data.wait as Readonly<Record<string, unknown>>
      run.status = 'suspended'
      run.segments.push({ kind: run.wait?.kind === 'lock' ? 'lock' : 'suspended', from: at })
      return
    }
    case 'retrying': {
      cut()
      run.status = 'retrying'
      run.attempts = Number(data.attempt) + 1
      run.error = data.error as Failure
      run.cursor = at + Number(data.delayMs ?? 0)
      run.segments.push({ kind: 'backoff', from: at, to: run.cursor })
      return
    }
    case 'opened': {
      if (!run.container) cut()
      run.container = true
      run.status = 'running'
      if (run.segments.at(-1)?.kind !== 'open') run.segments.push({ kind: 'open', from: at })
      return
    }
    case 'completed':
    case 'failed': {
      cut()
      run.endedAt = at
      run.status = fact.kind === 'failed' ? 'faulted' : 'completed'
      run.attempts = Math.max(run.attempts, Number(data.attempt ?? 1))
      if (fact.kind === 'failed') run.error = data.error as Failure
      else {
        run.error = undefined
        run.output = data.output
        run.outcome = data.outcome as string | undefined
      }
      return
    }
  }
}

/** The end of an instance ends whatever was under way. */
function closeAll(open: ReadonlyMap<string, Open>, at: number): void {
  for (const run of open.values()) {
    if (run.endedAt !== undefined) continue
    run.endedAt = at
    run.status = run.container ? 'completed' : 'cancelled'
    run.segments = run.segments.map((part) => (part.to === undefined ? { ...part, to: at } : part))
  }
}

/** A container that is not live any more ended with the last of what is in it. Those inside appear after those around them, and are closed first. */
function closeContainers(runs: readonly Open[], live: ReadonlySet<string> | undefined, last: number): void {
  const containers = runs.filter(({ container }) => container)
  const parts = new Map(containers.map(({ key }) => [key, [] as Open[]]))
  for (const run of runs) for (const around of keysAround(run.key)) parts.get(around)?.push(run)
  for (const run of containers.toReversed()) {
    const within = parts.get(run.key)!
    const ended = within.every(({ endedAt }) => endedAt !== undefined)
    if (run.endedAt === undefined && (live === undefined ? !ended : live.has(run.key))) continue
    const at = within.reduce((latest, { endedAt }) => Math.max(latest, endedAt ?? last), run.begunAt)
    const failed = within.some(({ status }) => status === 'faulted') && run.endedAt !== undefined
    run.endedAt = at
    run.status = failed ? 'faulted' : 'completed'
    run.segments = run.segments.map((part) => (part.kind === 'open' ? { ...part, to: at } : part))
  }
}

/** Keys that a container around it would have: `par[1].loop[0].x` lies in `par[1].loop[0]`, `par[1].loop`, `par[1]` and `par`. */
function keysAround(key: string): readonly string[] {
  return [...key.matchAll(/[[.:]/g)].map(({ index }) => key.slice(0, index))
}
