import type { ClusterNode, ClusterNodes, Lock } from '../../api/wire.ts'
import type { ClusterEvent } from './cluster-queries.ts'
import { type NodeEntry, nodeEntries } from './node-entries.ts'

/** What is known of one node: it is there, it was there once, or nobody remembers it. */
export type NodeStory =
  | { readonly status: 'here'; readonly entry: NodeEntry & { readonly node: ClusterNode } }
  | {
      readonly status: 'gone'
      readonly name: string
      readonly joinedAt: string | null
      readonly endedAt: string | null
      /** `undefined`: its end is not told any more. */
      readonly end: 'left' | 'buried' | undefined
      readonly version: string | undefined
      readonly roles: readonly string[]
      /** Who has its name now. */
      readonly next: ClusterNode | undefined
    }
  | { readonly status: 'unknown' }

/** `events` are newest first. */
export function nodeStory(nodeId: string, nodes: ClusterNodes, events: readonly ClusterEvent[]): NodeStory {
  const entry = nodeEntries(nodes).find(({ node }) => node?.id === nodeId)
  if (entry?.node !== undefined) return { status: 'here', entry: { ...entry, node: entry.node } }
  const own = events.filter((event) => event.nodeId === nodeId)
  if (own.length === 0) return { status: 'unknown' }
  const joined = own.find(({ kind }) => kind === 'joined')
  const ended = own.find(({ kind }) => kind === 'left' || kind === 'buried')
  const { version, roles } = joined?.detail ?? {}
  const { name } = own[0]!
  return {
    ...{ status: 'gone', name },
    joinedAt: joined?.at ?? null,
    endedAt: ended?.at ?? null,
    end: ended?.kind === 'left' ? 'left' : ended === undefined ? undefined : 'buried',
    version: typeof version === 'string' ? version : undefined,
    roles: Array.isArray(roles) ? roles.map(String) : [],
    next: nodes.items.find((node) => node.name === name),
  }
}

/** What happened to it, and what it did to others. */
export const eventsOf = (nodeId: string, events: readonly ClusterEvent[]): readonly ClusterEvent[] =>
  events.filter((event) => event.nodeId === nodeId || event.detail?.by === nodeId)

/** Instances by the id of the node; locks are held by a coordinator, which has an id of its own and the name of its node. */
export function heldBy(
  node: Pick<ClusterNode, 'id' | 'name'>,
  locks: readonly Lock[],
): { readonly instances: readonly Lock[]; readonly locks: readonly Lock[] } {
  return {
    instances: locks.filter(({ kind, holder }) => kind === 'instance' && holder?.nodeId === node.id),
    locks: locks.filter(({ kind, holder }) => kind !== 'instance' && holder?.name === node.name),
  }
}

/** How much of the patience of the others its silence has used up, 0 to 1. */
export const beatShare = (silentMs: number, { goneMs }: { readonly goneMs: number }): number =>
  Math.min(1, Math.max(0, silentMs / Math.max(1, goneMs)))

export function skewText(skewMs: number | null | undefined): string {
  if (skewMs === null || skewMs === undefined) return 'not measured yet'
  if (Math.abs(skewMs) < 5) return 'as the store'
  return `${Math.abs(skewMs)} ms ${skewMs > 0 ? 'ahead of' : 'behind'} the store`
}
