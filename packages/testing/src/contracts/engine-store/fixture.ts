import {
  type CheckpointItem,
  type Claim,
  type CommitResult,
  type EngineStore,
  type NewBookmark,
  type NewEvent,
  STATE_FORMAT,
  type StartItem,
} from '@lockstep/engine/ports'

export interface EngineStoreHarness {
  /** Migrated and empty. */
  readonly store: EngineStore
  close(): Promise<void>
}

export type OpenEngineStore = () => Promise<EngineStoreHarness>

export const TENANT = 'acme'
export const QUEUE = 'default'
export const WORKFLOW = 'order'
export const HOUR = 3_600_000

/** Ids that rise, as uuids: the same in every run. */
export function idSource(): () => string {
  let last = 0
  return () => `00000000-0000-7000-8000-${(++last).toString(16).padStart(12, '0')}`
}

/** Commits as one node does: each batch with the next number. */
export interface ContractNode {
  readonly id: string
  start(...items: readonly StartItem[]): Promise<CommitResult>
  checkpoint(...items: readonly CheckpointItem[]): Promise<CommitResult>
  claim(limit?: number, aheadMs?: number): Promise<readonly Claim[]>
}

export interface Bench {
  readonly store: EngineStore
  readonly newId: () => string
  joined(stateFormat?: number): Promise<ContractNode>
  /** A run of `WORKFLOW` that this node owns, with its start as the only fact. */
  started(node: ContractNode, extra?: Partial<StartItem>): Promise<string>
}

export function bench(store: EngineStore): Bench {
  const newId = idSource()
  const joined = async (stateFormat = STATE_FORMAT): Promise<ContractNode> => {
    const id = newId()
    await store.membership.join({ id, name: 'node', version: '1.0.0', stateFormat })
    let flushNo = 0
    return {
      id,
      start: (...starts) => store.commits.commit({ nodeId: id, flushNo: ++flushNo, starts, checkpoints: [] }),
      checkpoint: (...checkpoints) => store.commits.commit({ nodeId: id, flushNo: ++flushNo, starts: [], checkpoints }),
      claim: (limit = 100, aheadMs = 0) =>
        store.agenda.claim({ nodeId: id, queues: [QUEUE], limit, aheadMs, floorMs: undefined }),
    }
  }
  return {
    store,
    newId,
    joined,
    started: async (node, extra = {}) => {
      await store.definitions.registerFunction(TENANT, WORKFLOW, 1)
      const item = startItem(newId(), extra)
      await node.start(item)
      return item.instanceId
    },
  }
}

export function startItem(instanceId: string, extra: Partial<StartItem> = {}): StartItem {
  return {
    tenant: TENANT,
    instanceId,
    definitionId: WORKFLOW,
    version: undefined,
    correlationId: undefined,
    dedupeKey: undefined,
    parentId: undefined,
    parentStep: undefined,
    queue: QUEUE,
    claimed: true,
    dueInMs: 0,
    started: { kind: 'started', data: '{"input":{"amount":7}}' },
    ...extra,
  }
}

/** By default: fact 2 of claim 1, and the instance is held. */
export function checkpoint(instanceId: string, extra: Partial<CheckpointItem> = {}): CheckpointItem {
  return {
    tenant: TENANT,
    instanceId,
    claimNo: 1,
    seq: 2,
    facts: [{ kind: 'completed', data: '{"step":"a"}' }],
    then: { kind: 'hold' },
    stim: 0,
    opens: [],
    closes: [],
    consumes: [],
    publishes: [],
    incidents: [],
    snapshot: undefined,
    survived: false,
    parent: undefined,
    ...extra,
  }
}

/** Waits for the outside alone. */
export const SUSPENDED = { kind: 'suspend', dueAt: undefined, dueInMs: undefined, status: 'suspended' } as const
export const COMPLETED = { kind: 'end', status: 'completed' } as const

export function dueIn(dueInMs: number): CheckpointItem['then'] {
  return { kind: 'suspend', dueAt: undefined, dueInMs, status: 'suspended' }
}

export function bookmark(id: string, extra: Partial<NewBookmark> = {}): NewBookmark {
  return {
    id,
    step: 'ask',
    kind: 'signal',
    name: 'approved',
    correlationId: undefined,
    hash: `hash of ${extra.name ?? 'approved'}`,
    tokenHash: undefined,
    expiresInMs: undefined,
    ...extra,
  }
}

export function event(id: string, extra: Partial<NewEvent> = {}): NewEvent {
  return { tenant: TENANT, id, name: 'paid', correlationId: undefined, payload: '{"n":1}', ttlMs: HOUR, ...extra }
}

/** The fact that goes with a bookmark: a late resume is told from it that the wait is over. */
export function waitingFact(row: NewBookmark): CheckpointItem['facts'][number] {
  return {
    kind: 'waiting',
    data: JSON.stringify({ step: row.step, wait: { kind: row.kind, name: row.name }, bookmark: row.id }),
  }
}
