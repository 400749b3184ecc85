import type {
  CheckpointItem,
  CheckpointVerdict,
  NewBookmark,
  ResumeVerdict,
  StartItem,
  StartVerdict,
} from '@lockstep/engine/ports'

/** What the store should hold, in the plainest form. Knows no time: things are due `now` or `later`. */
export interface Model {
  readonly nodes: Map<string, { beat: number; flushNo: number }>
  /** Ids of nodes that were buried or have left. */
  readonly gone: string[]
  published: number
  readonly runs: Map<string, ModelRun>
  readonly events: {
    readonly id: string
    readonly name: string
    readonly correlationId: string | undefined
    matched: boolean
    settled?: boolean
  }[]
}

export interface ModelRun {
  readonly id: string
  readonly dedupeKey: string | undefined
  readonly version: number
  status: string
  ended: boolean
  /** Kind and writer of each fact. */
  readonly facts: { readonly kind: string; readonly nodeId: string; readonly claimNo: number }[]
  snapshotSeq: number
  claimNo: number
  /** Names and ids it ever waited for, as its journal tells. */
  readonly waited: { readonly id: string; readonly name: string }[]
  bookmarks: NewBookmark[]
  inbox: {
    readonly kind: string
    readonly bookmarkId: string | undefined
    readonly name: string | undefined
    readonly dedupeKey: string | undefined
  }[]
  agenda: { due: 'now' | 'later'; owner: string | undefined; crashes: number; stim: number } | undefined
}

export const emptyModel = (): Model => ({ nodes: new Map(), gone: [], published: 1, runs: new Map(), events: [] })

export function modelStart(model: Model, nodeId: string, item: StartItem): StartVerdict {
  if (item.definitionId === 'nowhere') return { kind: 'unknown-definition' }
  const twin = [...model.runs.values()].find((run) => item.dedupeKey !== undefined && run.dedupeKey === item.dedupeKey)
  if (twin !== undefined) return { kind: 'duplicate', instanceId: twin.id }
  const claimNo = item.claimed ? 1 : 0
  model.runs.set(item.instanceId, {
    id: item.instanceId,
    dedupeKey: item.dedupeKey,
    version: model.published,
    status: item.claimed ? 'running' : 'queued',
    ended: false,
    facts: [{ kind: 'started', nodeId, claimNo }],
    snapshotSeq: 0,
    claimNo,
    waited: [],
    bookmarks: [],
    inbox: [],
    agenda: {
      due: item.dueInMs > 0 ? 'later' : 'now',
      owner: item.claimed ? nodeId : undefined,
      crashes: claimNo,
      stim: 0,
    },
  })
  return { kind: 'started', version: model.published }
}

export function modelJudge(model: Model, nodeId: string, item: CheckpointItem): CheckpointVerdict {
  const run = model.runs.get(item.instanceId)
  if (run?.agenda?.owner !== nodeId || run.claimNo !== item.claimNo) return { kind: 'lost' }
  const decides = item.then.kind !== 'hold' || item.closes.length > 0
  if (decides && run.agenda.stim !== item.stim) return { kind: 'stimulated' }
  return { kind: item.seq === run.facts.length + 1 ? 'written' : 'lost' }
}

/** Items that `modelJudge` found fit, by instance id. */
export function modelApply(model: Model, nodeId: string, items: readonly CheckpointItem[]): void {
  for (const item of items) applyToRun(model.runs.get(item.instanceId)!, nodeId, item)
  for (const { publishes } of items) for (const event of publishes) model.events.push({ ...event, matched: false })
  const parents = items.flatMap((item) => item.parent?.instanceId ?? []).flatMap((id) => model.runs.get(id) ?? [])
  for (const parent of parents)
    if (!parent.ended)
      parent.inbox.push({ kind: 'child', bookmarkId: undefined, name: undefined, dedupeKey: undefined })
  for (const parent of new Set(parents)) stimulate(parent)
  for (const item of items) {
    const run = model.runs.get(item.instanceId)!
    for (const opened of item.opens)
      if (!run.bookmarks.some((row) => row.hash === opened.hash)) run.bookmarks.push(opened)
  }
  for (const item of items) for (const opened of item.opens) takeKept(model, model.runs.get(item.instanceId)!, opened)
}

function applyToRun(run: ModelRun, nodeId: string, item: CheckpointItem): void {
  for (const fact of item.facts) run.facts.push({ kind: fact.kind, nodeId, claimNo: item.claimNo })
  for (const { id, name } of item.opens) run.waited.push({ id, name })
  run.bookmarks = run.bookmarks.filter((row) => !item.closes.includes(row.id))
  // The commands consume all of an inbox or nothing: the model knows no ids of messages.
  if (item.consumes.length > 0) run.inbox = []
  if (item.snapshot !== undefined) run.snapshotSeq = run.facts.length
  if (item.survived && item.then.kind === 'hold') run.agenda!.crashes = 1
  if (item.then.kind === 'hold') return
  run.status = item.then.status
  run.ended = item.then.kind === 'end'
  if (item.then.kind === 'suspend' && item.then.dueInMs !== undefined) {
    run.agenda = { ...run.agenda!, due: item.then.dueInMs > 0 ? 'later' : 'now', owner: undefined, crashes: 0 }
  } else run.agenda = undefined
}

export function stimulate(run: ModelRun): void {
  if (run.ended) return
  run.agenda =
    run.agenda === undefined
      ? { due: 'now', owner: undefined, crashes: 0, stim: 1 }
      : { ...run.agenda, due: 'now', stim: run.agenda.stim + 1 }
}

function deliver(run: ModelRun, bookmark: NewBookmark, kind: 'resume' | 'event'): void {
  run.bookmarks = run.bookmarks.filter((row) => row !== bookmark)
  run.inbox.push({ kind, bookmarkId: bookmark.id, name: bookmark.name, dedupeKey: undefined })
}

function takeKept(model: Model, run: ModelRun, opened: NewBookmark): void {
  const bookmark = run.bookmarks.find((row) => row.id === opened.id && row.kind === 'event')
  const kept = model.events.find(
    (event) =>
      !event.matched &&
      event.name === opened.name &&
      (event.correlationId === undefined || event.correlationId === opened.correlationId),
  )
  if (bookmark === undefined || kept === undefined) return
  kept.matched = true
  deliver(run, bookmark, 'event')
  stimulate(run)
}

export function modelMatch(model: Model, eventId: string): number {
  const event = model.events.find((each) => each.id === eventId)
  if (event === undefined) return 0
  let hits = 0
  for (const run of model.runs.values()) {
    const met = run.bookmarks.filter(
      (row) =>
        row.kind === 'event' &&
        row.name === event.name &&
        (event.correlationId === undefined || row.correlationId === event.correlationId),
    )
    // In the order of the hash, as the store locks them.
    for (const bookmark of met.sort((a, b) => (a.hash < b.hash ? -1 : 1))) deliver(run, bookmark, 'event')
    if (met.length > 0) stimulate(run)
    hits += met.length
  }
  if (hits > 0) event.matched = true
  return hits
}

export function modelResume(model: Model, instanceId: string, asked: string | undefined): ResumeVerdict {
  const run = model.runs.get(instanceId)
  if (run === undefined) return { kind: 'not-found' }
  const isAsked = (row: { id: string | undefined; name: string | undefined }): boolean =>
    asked === undefined || asked === row.id || asked === row.name
  const open = run.bookmarks.filter(isAsked)
  const names = [...new Set(open.map((row) => row.name))].sort()
  if (asked === undefined && names.length > 1) return { kind: 'ambiguous', names }
  const [first] = open.sort((a, b) => (a.hash < b.hash ? -1 : 1))
  if (first !== undefined) {
    deliver(run, first, 'resume')
    stimulate(run)
    return { kind: 'resumed', bookmarkId: first.id }
  }
  if (run.waited.some(isAsked)) return { kind: 'already-resumed' }
  return { kind: run.agenda === undefined ? 'not-found' : 'in-progress' }
}

export function modelFree(model: Model, nodeId: string, crashes: 'kept' | 'forgotten'): void {
  model.nodes.delete(nodeId)
  model.gone.push(nodeId)
  for (const { agenda } of model.runs.values()) {
    if (agenda?.owner !== nodeId) continue
    agenda.owner = undefined
    if (crashes === 'forgotten') agenda.crashes = 0
  }
}
