import { toWireId } from '@lockstep/base'
import Type from 'typebox'
import { route } from '../route/route.ts'
import { iso } from '../wire/instance.ts'
import { instant, oneOf } from '../wire/schema.ts'

const Node = Type.Object({
  id: Type.String(),
  name: Type.String(),
  version: Type.String(),
  state: oneOf(['alive', 'leaving'], 'leaving: the others are burying it.'),
  self: Type.Boolean({ description: 'Whether it is the node that answers.' }),
  startedAt: instant(),
  beatAt: instant('Its last heartbeat.'),
  silentMs: Type.Integer({ description: 'Since then, by the clock of the store.' }),
  holds: Type.Integer({ description: 'Instances that it has in hand, counted up to 10,000 in all.' }),
})

export const listNodes = route({
  method: 'GET',
  path: '/cluster/nodes',
  name: 'listNodes',
  summary: 'The processes of the cluster, by name, as the store knows them.',
  replies: { 200: Type.Object({ items: Type.Array(Node) }) },
  problems: [],
  async handle({ browse, engine }) {
    const nodes = await browse.nodes()
    const items = nodes.map((node) => ({
      id: toWireId('node', node.id),
      name: node.name,
      version: node.version,
      state: node.doomed ? 'leaving' : 'alive',
      self: node.id === engine.nodeId,
      startedAt: iso(node.startedAt),
      beatAt: iso(node.beatAt),
      silentMs: node.silentMs,
      holds: node.holds,
    }))
    return { status: 200, body: { items } }
  },
})
