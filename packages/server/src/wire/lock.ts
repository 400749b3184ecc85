import { toWireId } from '@lockstep/base'
import type { HolderView, LockView, Share, WaiterView } from '@lockstep/coordination'
import type { HeldView } from '@lockstep/engine/ports'
import Type from 'typebox'
import { iso } from './iso.ts'
import { instant, nullable, oneOf } from './schema.ts'

/** Instances that a node has in hand appear among the locks under this name. */
export const INSTANCE_LOCK = 'workflow:'

export const LockKey = Type.String({ description: 'Its name, escaped as a part of a path: orders%2F42 for orders/42.' })

const Holder = Type.Object({
  nodeId: nullable('string'),
  name: nullable('string', { description: 'Of the node.' }),
  instanceId: nullable('string', { description: 'Instance that holds it, where one does.' }),
  definitionId: nullable('string', { description: 'Of that instance.' }),
})

export const Lock = Type.Object({
  key: Type.String(),
  kind: oneOf(['mutex', 'read-write', 'semaphore', 'instance']),
  state: oneOf(['held', 'stale', 'free'], 'stale: its holder is gone, and nobody renews it.'),
  holder: Type.Unsafe<unknown>({
    ...Holder,
    type: ['object', 'null'],
    description: 'The first, where there are several.',
  }),
  fence: nullable('string', { description: 'Rises with every grant.' }),
  acquiredAt: instant(),
  expiresAt: instant('Unless it is renewed. null: it lives as long as its node.'),
  ttlMs: nullable('integer', { description: 'Left until then, by the clock of the node that answers.' }),
  waiters: Type.Integer({ description: 'How many ask for it at this moment.' }),
  waitingInstances: Type.Integer({
    description:
      'Instances that wait for it with a step or a critical section, whether or not they ask at this moment; counted up to 1,000. Functions in ctx.lock are among the waiters while they ask.',
  }),
  holders: Type.Integer({ description: 'How many hold it: readers, or permits of a semaphore.' }),
})

const Side = Type.Object({
  nodeId: nullable('string'),
  name: nullable('string'),
  share: Type.String(),
  fence: nullable('string'),
  since: instant(),
  expiresAt: instant(),
  state: nullable('string'),
})

export const LockDetail = Type.Object({
  ...Lock.properties,
  held: Type.Array(Side, { description: 'Everybody who holds it.' }),
  queue: Type.Array(Side, { description: 'The first of those who wait, in their order.' }),
  history: Type.Array(
    Type.Object({
      at: instant(),
      kind: oneOf(['granted', 'released', 'expired', 'broken']),
      name: nullable('string'),
      fence: Type.String(),
      reason: nullable('string'),
      by: nullable('string'),
    }),
    { description: 'Who held it lately, newest first.' },
  ),
})

export interface LockTelling {
  /** Ids of the coordinators that live. */
  readonly members: ReadonlySet<string>
  readonly now: number
  /** Instances in line, by name. */
  readonly lines: ReadonlyMap<string, number>
}

export function toWireLock(lock: LockView, { members, now, lines }: LockTelling) {
  const [first] = lock.holders
  const stale = lock.holders.some((each) => !isAlive(each, members))
  return {
    key: lock.name,
    kind: lock.kind,
    state: first === undefined ? 'free' : stale ? 'stale' : 'held',
    holder:
      first === undefined
        ? null
        : {
            nodeId: first.holder?.nodeId ?? null,
            name: first.holder?.node ?? null,
            instanceId: instanceOf(first.holder?.meta),
            definitionId: definitionOf(first.holder?.meta),
          },
    fence: first === undefined ? null : String(first.fence),
    acquiredAt: iso(first?.acquiredAt),
    expiresAt: iso(first?.expiresAt),
    ttlMs: first === undefined ? null : Math.max(0, Math.round(first.expiresAt - now)),
    waiters: lock.waitingCount,
    waitingInstances: lines.get(lock.name) ?? 0,
    holders: lock.holders.length,
  }
}

export const toWireHolder = (each: HolderView, { members }: LockTelling) => ({
  nodeId: each.holder?.nodeId ?? null,
  name: each.holder?.node ?? null,
  share: shareText(each.share),
  fence: String(each.fence),
  since: iso(each.acquiredAt),
  expiresAt: iso(each.expiresAt),
  state: isAlive(each, members) ? 'held' : 'stale',
})

export const toWireWaiter = (each: WaiterView) => ({
  nodeId: each.holder?.nodeId ?? null,
  name: each.holder?.node ?? null,
  share: shareText(each.share),
  fence: null,
  since: iso(each.since),
  expiresAt: null,
  state: null,
})

/** Who cannot be read is not said to be gone. */
const isAlive = ({ holder }: HolderView, members: ReadonlySet<string>): boolean =>
  holder === undefined || members.has(holder.nodeId)

const shareText = (share: Share): string => (share.kind === 'permits' ? `${share.weight} permits` : share.kind)

/** Workflows that take a lock say so in what they leave with it. */
function instanceOf(meta: unknown): string | null {
  const id = (meta as { readonly instanceId?: unknown } | null | undefined)?.instanceId
  return typeof id === 'string' ? toWireId('instance', id) : null
}

function definitionOf(meta: unknown): string | null {
  const id = (meta as { readonly definitionId?: unknown } | null | undefined)?.definitionId
  return typeof id === 'string' ? id : null
}

export function toWireInstanceLock(held: HeldView) {
  return {
    key: `${INSTANCE_LOCK}${toWireId('instance', held.instanceId)}`,
    kind: 'instance',
    state: held.nodeName === undefined || held.doomed ? 'stale' : 'held',
    holder: {
      nodeId: toWireId('node', held.nodeId),
      name: held.nodeName ?? null,
      instanceId: toWireId('instance', held.instanceId),
      definitionId: held.definitionId,
    },
    fence: String(held.claimNo),
    acquiredAt: null,
    expiresAt: null,
    ttlMs: null,
    waiters: 0,
    waitingInstances: 0,
    holders: 1,
  }
}
