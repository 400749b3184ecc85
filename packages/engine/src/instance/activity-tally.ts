/**
 * What became of every activity of an instance, counted from its facts one by one. What it keeps grows with the activities of the document, with
 * the steps that are open and with the containers that were opened, not with the journal. Containers write no fact when they end: whoever
 * asks says which steps live.
 */
import type { GraphProgram } from '../graph/graph-program.ts'
import type { Failure, StepKey } from '../journal/fact.ts'
import type { JournalOutline } from '../store/instance-reader.ts'
import { failurePath } from './failing-containers.ts'
import { activityOf, ownerOf } from './step-place.ts'

export type ActivityStatus = 'running' | 'suspended' | 'retrying' | 'completed' | 'faulted' | 'cancelled'

export interface ActivitySummary {
  readonly activity: string
  readonly status: ActivityStatus
  /** Key of the run that the journal spoke of last. */
  readonly step: StepKey
  readonly runs: number
  /** Runs that failed for good. */
  readonly failures: number
  /** Attempts that failed and were made again. */
  readonly retries: number
  /** How often it left by each. */
  readonly outcomes: Readonly<Record<string, number>>
  /** Commit times of the first and of the last fact about it. Absent: it has begun, and no fact tells of it yet. */
  readonly firstAt: number | undefined
  readonly lastAt: number | undefined
  readonly lastError: Failure | undefined
}

export interface LiveStep {
  readonly step: StepKey
  readonly activity: string
  readonly phase: string
}

interface Entry {
  step: StepKey
  status: ActivityStatus
  runs: number
  failures: number
  retries: number
  outcomes: Map<string, number>
  firstAt: number | undefined
  lastAt: number | undefined
  lastError: Failure | undefined
}

interface OpenedContainer {
  readonly activity: string
  failed: boolean
}

const phases: Readonly<Record<string, ActivityStatus>> = {
  active: 'running',
  open: 'running',
  waiting: 'suspended',
  retrying: 'retrying',
  failed: 'faulted',
}

/** What is told of an activity that lives in several places at once. */
const rank: readonly ActivityStatus[] = ['faulted', 'running', 'retrying', 'suspended']

/** They name a step, and are about the instance. */
const notOfSteps: ReadonlySet<string> = new Set(['retried', 'rewound', 'undoing'])

export class ActivityTally {
  /** The last fact that was counted. */
  seq = 0
  readonly #nameOf: (step: StepKey) => string
  #entries = new Map<string, Entry>()
  /** Steps that a fact tells of and that have not ended. */
  readonly #open = new Map<StepKey, { readonly activity: string; readonly phase: string }>()
  readonly #containers = new Map<StepKey, OpenedContainer>()
  /** Containers around the failure that holds the instance up. */
  #heldUp: readonly OpenedContainer[] = []
  #ended: string | undefined

  /** `graph`: step keys are places in a document; else they are names that a function gave. */
  constructor(kind: 'graph' | 'function') {
    this.#nameOf = kind === 'graph' ? activityOf : (step) => step.replace(/#\d+$/, '')
  }

  fold(fact: JournalOutline, program: GraphProgram | undefined): void {
    this.seq = fact.seq
    const { kind, step } = fact
    if (kind === 'ended') this.#ended = fact.status
    else if (kind === 'retried' || kind === 'forked' || kind === 'rewound') this.#goOn()
    else if (kind === 'migrated' && fact.mapping !== undefined) this.#rename(fact.mapping)
    if (step === undefined || notOfSteps.has(kind)) return
    const activity = this.#nameOf(step)
    const entry = this.#entry(activity, step)
    entry.firstAt ??= fact.at
    entry.lastAt = fact.at
    entry.step = step
    switch (kind) {
      case 'waiting':
      case 'retrying':
      case 'attempting':
        this.#begin(entry, step, activity, kind === 'attempting' ? 'active' : kind)
        if (kind !== 'retrying') break
        entry.retries += 1
        entry.lastError = fact.error
        break
      case 'opened':
        if (!this.#open.delete(step) && !this.#containers.has(step)) entry.runs += 1
        if (!this.#containers.has(step)) this.#containers.set(step, { activity, failed: false })
        break
      case 'completed':
        this.#end(entry, step, 'completed')
        for (const outcome of fact.outcomes ?? [fact.outcome ?? 'done']) count(entry, outcome)
        break
      case 'failed':
        this.#end(entry, step, 'faulted')
        entry.failures += 1
        entry.lastError = fact.error
        if (program !== undefined) this.#passOutward(program, step)
        break
    }
  }

  /** `live`: of graphs, the steps that have begun and not ended. Functions live where they wait. */
  summaries(live?: readonly LiveStep[]): readonly ActivitySummary[] {
    const over = this.#ended !== undefined && this.#ended !== 'faulted'
    const living = over ? [] : (live ?? this.#openSteps())
    const keys = new Set(living.map(({ step }) => step))
    const entries = new Map([...this.#entries].map(([name, entry]) => [name, copy(entry)]))
    const cancelled = new Set<StepKey>()
    for (const [step, { activity }] of this.#open) {
      if (keys.has(step)) continue
      entries.get(activity)!.status = 'cancelled'
      for (let owner = ownerOf(step); owner !== undefined; owner = ownerOf(owner)) cancelled.add(owner)
    }
    for (const [step, { activity, failed }] of this.#containers) {
      if (keys.has(step)) continue
      const entry = entries.get(activity)!
      entry.status = failed ? 'faulted' : cancelled.has(step) ? 'cancelled' : 'completed'
      if (failed) entry.failures += 1
      else if (!cancelled.has(step)) count(entry, 'done')
    }
    const told = new Map<string, ActivityStatus>()
    for (const { step, activity, phase } of living) {
      const entry = entries.get(activity) ?? fresh(step)
      entries.set(activity, entry)
      if (!this.#open.has(step) && !this.#containers.has(step) && phase !== 'failed') entry.runs += 1
      told.set(activity, nearer(told.get(activity), this.#standing(step, phase)))
    }
    for (const [activity, status] of told) entries.get(activity)!.status = status
    return [...entries].map(([activity, { outcomes, ...entry }]) => ({
      activity,
      ...entry,
      outcomes: Object.fromEntries(outcomes),
    }))
  }

  #openSteps(): readonly LiveStep[] {
    return [...this.#open].map(([step, place]) => ({ step, ...place }))
  }

  /** A faulted instance keeps its place: nothing runs there until somebody retries it, and what holds the failure has failed with it. */
  #standing(step: StepKey, phase: string): ActivityStatus {
    const status = phases[phase] ?? 'running'
    if (this.#ended !== 'faulted' || status !== 'running') return status
    return this.#containers.get(step)?.failed === true ? 'faulted' : 'suspended'
  }

  #entry(activity: string, step: StepKey): Entry {
    const known = this.#entries.get(activity)
    if (known !== undefined) return known
    const made = fresh(step)
    this.#entries.set(activity, made)
    return made
  }

  #begin(entry: Entry, step: StepKey, activity: string, phase: string): void {
    if (!this.#open.has(step)) entry.runs += 1
    this.#open.set(step, { activity, phase })
  }

  #end(entry: Entry, step: StepKey, status: ActivityStatus): void {
    const wasOpen = this.#open.delete(step)
    if (!this.#containers.delete(step) && !wasOpen) entry.runs += 1
    entry.status = status
  }

  #passOutward(program: GraphProgram, failed: StepKey): void {
    const path = failurePath(program, failed, (step) => this.#containers.get(step)?.activity)
    const around = path.failing.map((step) => this.#containers.get(step)!)
    for (const container of around) container.failed = true
    if (path.holdsUp) this.#heldUp = around
    if (path.goesOn === undefined) return
    const { step, activity } = path.goesOn
    count(this.#entry(activityOf(step), step), activity.onError === 'continue' ? 'done' : 'failed')
  }

  /** What had failed with a step that is tried again may still complete. */
  #goOn(): void {
    this.#ended = undefined
    for (const container of this.#heldUp) container.failed = false
    this.#heldUp = []
  }

  #rename(mapping: Readonly<Record<string, string>>): void {
    this.#entries = new Map([...this.#entries].map(([name, entry]) => [mapping[name] ?? name, entry]))
  }
}

const fresh = (step: StepKey): Entry => ({
  step,
  status: 'running',
  runs: 0,
  failures: 0,
  retries: 0,
  outcomes: new Map(),
  firstAt: undefined,
  lastAt: undefined,
  lastError: undefined,
})

const copy = (entry: Entry): Entry => ({ ...entry, outcomes: new Map(entry.outcomes) })

function count({ outcomes }: Entry, outcome: string): void {
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
}

const nearer = (one: ActivityStatus | undefined, other: ActivityStatus): ActivityStatus =>
  one !== undefined && rank.indexOf(one) < rank.indexOf(other) ? one : other
