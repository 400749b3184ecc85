import { toWireId } from '@lockstep/base'
import { clusterEventKinds } from '@lockstep/engine'
import type { ClusterEvent, NodeView } from '@lockstep/engine/ports'
import Type from 'typebox'
import { iso } from './iso.ts'
import { anything, instant, nullable, oneOf } from './schema.ts'

export const NodeId = Type.String({ description: 'As the list of nodes shows it: nod_…' })

export const Node = Type.Object({
  id: Type.String(),
  name: Type.String(),
  version: Type.String(),
  roles: Type.Array(Type.String(), { description: 'What it does: api, worker, scheduler.' }),
  state: oneOf(
    ['alive', 'cordoned', 'draining', 'drained', 'leaving'],
    'As it says itself. cordoned: it takes nothing more. draining: it hands back what it has. leaving: the others are burying it.',
  ),
  wanted: oneOf(['active', 'cordoned', 'drained'], 'What operators want of it.'),
  self: Type.Boolean({ description: 'Whether it is the node that answers.' }),
  startedAt: instant(),
  beatAt: instant('Its last heartbeat.'),
  silentMs: Type.Integer({ description: 'Since then, by the clock of the store.' }),
  skewMs: nullable('integer', { description: 'Its clock less that of the store, as it measured it last.' }),
  capacity: Type.Integer({ description: 'Instances that it can work on at once.' }),
  inUse: Type.Integer({ description: 'Instances that it had in hand at its last heartbeat.' }),
  holds: Type.Integer({ description: 'Instances that it has in hand, counted up to 10,000 in all.' }),
})

export const toWireNode = (node: NodeView, selfId: string) => ({
  id: toWireId('node', node.id),
  name: node.name,
  version: node.version,
  roles: node.roles,
  state: node.doomed ? 'leaving' : node.state === 'active' ? 'alive' : node.state,
  wanted: node.wanted,
  self: node.id === selfId,
  startedAt: iso(node.startedAt),
  beatAt: iso(node.beatAt),
  silentMs: node.silentMs,
  skewMs: node.skewMs ?? null,
  capacity: node.capacity,
  inUse: node.held,
  holds: node.holds,
})

export const Leader = Type.Object({
  election: Type.String({ description: 'scheduler: who fires schedules, where their mode is leader.' }),
  name: Type.String({ description: 'Of the node that leads.' }),
  host: Type.String(),
  pid: Type.Integer(),
  term: Type.String({ description: 'Rises with every election.' }),
  since: instant(),
  expiresAt: instant('When another can be elected, unless it is heard of before.'),
  standby: Type.Integer({ description: 'How many wait to be elected.' }),
})

export const ClusterEventItem = Type.Object({
  position: Type.String({ description: 'Rises in the order of commits. Send it as after to read on.' }),
  at: instant(),
  kind: oneOf(clusterEventKinds),
  nodeId: Type.String(),
  name: Type.String({ description: 'Of the node.' }),
  detail: anything('What else there is to say: by whom, which election, which term, why.'),
})

export function toWireClusterEvent({ nodeId, at, detail, ...event }: ClusterEvent) {
  const by = typeof detail.by === 'string' ? { by: toWireId('node', detail.by) } : {}
  return { ...event, at: iso(at), nodeId: toWireId('node', nodeId), detail: { ...detail, ...by } }
}
