/**
 * The common batch: one tenant, starts that begin here and now, checkpoints that go on or end. It goes through a function of its own,
 * which costs half of the full one. The full one remains the judge: what does not fit here was not written and is sent there.
 */
import type { CheckpointItem, CommitBatch, FactRow, StartItem } from '@lockstep/engine/ports'

/** A plain batch turned on its side. Starts that share definition, version and queue are one group; kinds of facts are written once. */
export interface PlainColumns {
  readonly node: string
  readonly flushNo: number
  readonly tenant: string
  readonly group: {
    definition: string[]
    version: (number | undefined)[]
    /** The version again where it must be the published one. */
    published: (number | undefined)[]
    queue: string[]
  }
  readonly start: { id: string[]; group: number[]; correlation: (string | undefined)[] }
  readonly item: { id: string[]; prev: number[]; claims: number }
  /** `item` is the place among the checkpoints, from 1; sorted by id. */
  readonly leave: { item: number[]; status: string[]; seq: number[]; claim: number[]; stims: number }
  readonly kinds: readonly string[]
  /** `item` is the place among starts and checkpoints, `kind` the one among the kinds, both from 1. */
  readonly fact: { item: number[]; seq: number[]; claim: number[]; kind: number[]; data: string[] }
}

/** `undefined`: the batch is not plain. */
export function plainColumns(batch: CommitBatch): PlainColumns | undefined {
  const { starts, checkpoints } = batch
  const tenant = starts[0]?.tenant ?? checkpoints[0]?.tenant
  if (tenant === undefined) return undefined
  for (const each of starts) if (each.tenant !== tenant || !isPlainStart(each)) return undefined
  for (const each of checkpoints) if (each.tenant !== tenant || !isPlainCheckpoint(each)) return undefined

  const facts = factColumns()
  const begin = startColumns(starts, facts.add)
  const goOn = checkpointColumns(checkpoints, starts.length, facts.add)
  return {
    node: batch.nodeId,
    flushNo: batch.flushNo,
    tenant,
    ...begin,
    ...goOn,
    kinds: facts.kinds(),
    fact: facts.fact,
  }
}

function isPlainStart(start: StartItem): boolean {
  return start.claimed && start.dueInMs === 0 && start.dedupeKey === undefined && start.parentId === undefined
}

function isPlainCheckpoint(c: CheckpointItem): boolean {
  return (
    c.then.kind !== 'suspend' &&
    (c.then.kind !== 'hold' || c.then.status === undefined) &&
    c.opens.length === 0 &&
    c.closes.length === 0 &&
    c.consumes.length === 0 &&
    c.publishes.length === 0 &&
    c.incidents.length === 0 &&
    c.snapshot === undefined &&
    c.parent === undefined &&
    c.correlationId === undefined &&
    !c.survived
  )
}

type AddFact = (item: number, seq: number, claim: number, fact: FactRow) => void

function factColumns(): { fact: PlainColumns['fact']; kinds: () => string[]; add: AddFact } {
  const fact: PlainColumns['fact'] = { item: [], seq: [], claim: [], kind: [], data: [] }
  const kinds = new Map<string, number>()
  return {
    fact,
    kinds: () => [...kinds.keys()],
    add(item, seq, claim, { kind, data }) {
      let number = kinds.get(kind)
      if (number === undefined) {
        number = kinds.size + 1
        kinds.set(kind, number)
      }
      fact.item.push(item)
      fact.seq.push(seq)
      fact.claim.push(claim)
      fact.kind.push(number)
      fact.data.push(data)
    },
  }
}

function startColumns(starts: readonly StartItem[], addFact: AddFact): Pick<PlainColumns, 'group' | 'start'> {
  const group: PlainColumns['group'] = { definition: [], version: [], published: [], queue: [] }
  const start: PlainColumns['start'] = { id: [], group: [], correlation: [] }
  const groups = new Map<string, number>()
  let correlated = false
  starts.forEach((each, index) => {
    const key = `${each.version ?? ''}${each.onlyPublished ? '!' : ''} ${each.queue} ${each.definitionId}`
    let number = groups.get(key)
    if (number === undefined) {
      group.definition.push(each.definitionId)
      group.version.push(each.version)
      group.published.push(each.onlyPublished ? each.version : undefined)
      group.queue.push(each.queue)
      number = group.queue.length
      groups.set(key, number)
    }
    start.id.push(each.instanceId)
    start.group.push(number)
    start.correlation.push(each.correlationId)
    correlated ||= each.correlationId !== undefined
    addFact(index + 1, 1, 1, each.started)
  })
  return { group, start: correlated ? start : { ...start, correlation: [] } }
}

function checkpointColumns(
  checkpoints: readonly CheckpointItem[],
  before: number,
  addFact: AddFact,
): Pick<PlainColumns, 'item' | 'leave'> {
  const id: string[] = []
  const prev: number[] = []
  const ending: number[] = []
  let claims = 0
  checkpoints.forEach((c, index) => {
    id.push(c.instanceId)
    prev.push(c.seq - 1)
    claims += c.claimNo
    for (let nth = 0; nth < c.facts.length; nth++) addFact(before + index + 1, c.seq + nth, c.claimNo, c.facts[nth]!)
    if (c.then.kind === 'end') ending.push(index)
  })
  ending.sort((a, b) => (id[a]! < id[b]! ? -1 : 1))
  const leave: PlainColumns['leave'] = { item: [], status: [], seq: [], claim: [], stims: 0 }
  for (const index of ending) {
    const c = checkpoints[index]!
    leave.item.push(index + 1)
    leave.status.push(c.then.kind === 'end' ? c.then.status : '')
    leave.seq.push(c.seq + c.facts.length - 1)
    leave.claim.push(c.claimNo)
    leave.stims += c.stim
  }
  return { item: { id, prev, claims }, leave }
}
