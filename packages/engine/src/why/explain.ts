/** From what the store holds about an instance to why it stands where it stands. Pure. */
import type { InstanceStanding } from '../store/maintenance-store.ts'
import type { OpenWait } from './open-waits.ts'
import { waitsFor } from './waits-for.ts'
import type { Blocker, WaitsFor, Why, WhyState } from './why.ts'

/** What the asking node knows of itself and of its cluster. */
export interface Here {
  readonly nodeId: string
  /** A node that was silent for longer is dead, or about to be found so. */
  readonly ttlMs: number
  readonly queues: readonly string[]
  /** Also `false` where it takes nothing: it is cordoned, or no worker. */
  readonly hasRoom: boolean
}

export type Explanation = Omit<Why, 'tenant' | 'instanceId' | 'text' | 'advice'>

export function explain(
  standing: InstanceStanding,
  open: ReadonlyMap<string, OpenWait>,
  here: Here,
  isQueued = false,
): Explanation {
  const { agenda, owner, now } = standing
  const alive = owner?.silentMs !== undefined && owner.silentMs < here.ttlMs && !owner.doomed
  const waits = standing.finishedAt === undefined ? waitsFor(standing, open) : []
  const state = isQueued ? 'queued' : stateOf(standing, waits, alive)
  return {
    definitionId: standing.definitionId,
    version: standing.version,
    status: standing.status,
    state,
    since: sinceWhen(standing, state, waits, open),
    waitsFor: waits,
    heldBy:
      owner && agenda
        ? { nodeId: owner.nodeId, name: owner.name, claimNo: agenda.claimNo, alive, silentMs: owner.silentMs }
        : undefined,
    queue:
      state === 'due' && agenda
        ? { name: standing.queue, ahead: agenda.ahead, lateMs: Math.max(0, now - agenda.dueAt) }
        : undefined,
    movesAt: standing.finishedAt === undefined && agenda ? Math.max(agenda.dueAt, now) : undefined,
    blockers: blockersOf(standing, state, here),
    incidents: standing.incidents,
  }
}

function stateOf(
  { status, finishedAt, agenda, owner, now }: InstanceStanding,
  waits: readonly WaitsFor[],
  alive: boolean,
): WhyState {
  if (finishedAt !== undefined) return 'ended'
  if (status === 'quarantined' || status === 'paused') return status
  if (agenda === undefined) return waits.length > 0 ? 'waiting' : 'stranded'
  if (owner !== undefined) {
    if (!alive) return 'orphaned'
    // A claim at birth is due since then: only a timer that is known to lie ahead shows that it waits in hand.
    return waits.length > 0 && (agenda.dueAt > now || waits.some((wait) => 'dueAt' in wait && wait.dueAt > now))
      ? 'waiting'
      : 'held'
  }
  return agenda.dueAt > now ? 'waiting' : 'due'
}

function sinceWhen(
  standing: InstanceStanding,
  state: WhyState,
  waits: readonly WaitsFor[],
  open: ReadonlyMap<string, OpenWait>,
): number {
  if (standing.finishedAt !== undefined) return standing.finishedAt
  if (state === 'due' && standing.agenda) return standing.agenda.dueAt
  if (waits.length > 0) return waits.reduce((first, wait) => Math.min(first, wait.since), standing.now)
  const incident = standing.incidents.at(-1)
  if (state === 'quarantined' && incident) return incident.at
  return [...open.values()].at(-1)?.at ?? standing.createdAt
}

function blockersOf(standing: InstanceStanding, state: WhyState, here: Here): Blocker[] {
  const { owner } = standing
  if (state === 'orphaned')
    return [
      {
        kind: 'silent-owner',
        text: `Node ${owner?.name ?? owner?.nodeId} holds it and is silent; the others free it when they are sure that it is dead`,
      },
    ]
  if (state !== 'due') return []
  const blocker = untaken(standing, here)
  return blocker === undefined ? [] : [blocker]
}

/** Why nobody has taken what is due; `undefined`: somebody is about to. */
function untaken({ queue, nodes }: InstanceStanding, here: Here): Blocker | undefined {
  const living = nodes.filter((node) => node.silentMs < here.ttlMs)
  if (living.length === 0) return { kind: 'no-living-node', text: 'No node of the cluster is alive' }
  const workers = living.filter(({ roles }) => roles.includes('worker'))
  if (workers.length === 0) return { kind: 'no-living-worker', text: 'No living node has the role worker' }
  const open = workers.filter(({ wanted }) => wanted === 'active')
  if (open.length === 0) return cordoned(workers)
  if (!here.queues.includes(queue))
    return { kind: 'no-worker-here', text: `This node does not run ${described(queue)}: it waits for one that does` }
  if (here.hasRoom || !open.some(({ nodeId }) => nodeId === here.nodeId)) return undefined
  return open.length === 1
    ? { kind: 'node-full', text: 'The only node that takes work runs as many instances as it may at once' }
    : { kind: 'node-full', text: 'This node runs as many instances as it may at once; others may have room' }
}

function cordoned(workers: InstanceStanding['nodes']): Blocker {
  const names = workers.map(({ name }) => name)
  const [first] = workers
  const text =
    workers.length === 1
      ? `Node ${first!.name} is ${first!.wanted} by an operator and takes nothing, and no other living node has the role worker`
      : `An operator has cordoned or drained every living node with the role worker: ${names.join(', ')}`
  return { kind: 'nodes-cordoned', text, key: first!.name }
}

function described(queue: string): string {
  const [kind, id, version] = queue.split('/')
  return kind === 'fn' && id !== undefined ? `version ${version} of the function "${id}"` : `queue "${queue}"`
}
