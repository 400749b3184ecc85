import { tryFromWireId } from '@lockstep/base'
import type { WantedState } from '@lockstep/engine'
import Type from 'typebox'
import { NodeNotFound } from '../problem/request-errors.ts'
import { type ApiContext, route } from '../route/route.ts'
import { toWireDevProcess, WireDevProcess } from '../wire/dev-process.ts'
import { iso } from '../wire/iso.ts'
import { DEFAULT_ITEMS, Limit, listOf, toWholeList, WHOLE } from '../wire/list.ts'
import { ClusterEventItem, Leader, Node, NodeId, toWireClusterEvent, toWireNode } from '../wire/node.ts'
import { closed, oneOf } from '../wire/schema.ts'

/** Elections are locks under this name. */
const ELECTION = 'election:'
const MOST_LEADERS = 100

async function readNode({ browse, engine }: Pick<ApiContext, 'browse' | 'engine'>, wireId: string) {
  const id = tryFromWireId('node', wireId)
  const found = id === undefined ? undefined : (await browse.nodes()).find((node) => node.id === id)
  if (found === undefined) throw new NodeNotFound({ id: wireId.slice(0, 100) })
  return toWireNode(found, engine.nodeId)
}

async function order(context: Pick<ApiContext, 'browse' | 'engine'>, wireId: string, wanted: WantedState) {
  const id = tryFromWireId('node', wireId)
  if (id === undefined || !(await context.engine.cluster.order(id, wanted)))
    throw new NodeNotFound({ id: wireId.slice(0, 100) })
  return { status: 202, body: await readNode(context, wireId) }
}

export const listNodes = route({
  method: 'GET',
  path: '/cluster/nodes',
  name: 'listNodes',
  permission: 'cluster:read',
  reach: 'cluster',
  summary: 'The processes of the cluster, by name, as the store knows them.',
  replies: {
    200: Type.Object({
      cluster: Type.String({ description: 'Name of the cluster, as `LOCKSTEP_CLUSTER_NAME` says.' }),
      ...listOf(Node, WHOLE).properties,
      patience: Type.Object(
        {
          heartbeatMs: Type.Integer(),
          lateMs: Type.Integer({ description: 'Silence after which a node is suspected.' }),
          goneMs: Type.Integer({ description: 'Silence after which the others bury it.' }),
        },
        { description: 'How long a node may be silent, as the node that answers has it.' },
      ),
      servers: Type.Array(
        Type.Object({
          name: oneOf(['database', 'redis', 'broker']),
          roundTripMs: Type.Unsafe<number | null>({
            type: ['number', 'null'],
            description: 'null: not measured yet, or it did not answer.',
          }),
        }),
        { description: 'What the node that answers leans on, as it measured last.' },
      ),
      processes: Type.Array(WireDevProcess, {
        description: 'Under `lockstep cluster dev` what it started, dead ones too. Elsewhere none.',
      }),
    }),
  },
  problems: [],
  async handle({ browse, engine, devControl, roundTrips, clusterName: cluster }) {
    const items = (await browse.nodes()).map((node) => toWireNode(node, engine.nodeId))
    const servers = (roundTrips?.list() ?? []).map(({ name, seconds }) => ({
      name,
      roundTripMs: seconds === undefined ? null : Math.round(seconds * 10_000) / 10,
    }))
    const processes = (devControl?.processes() ?? []).map(toWireDevProcess)
    const body = { cluster, ...toWholeList(items), patience: engine.cluster.patience, servers, processes }
    return { status: 200, body }
  },
})

export const getNode = route({
  method: 'GET',
  path: '/cluster/nodes/:id',
  name: 'getNode',
  permission: 'cluster:read',
  reach: 'cluster',
  summary: 'Answers one node: what it does, what is wanted of it, how it stands.',
  id: NodeId,
  replies: { 200: Node },
  problems: ['NODE_NOT_FOUND'],
  async handle(context, { params }) {
    return { status: 200, body: await readNode(context, params.id) }
  },
})

export const cordonNode = route({
  method: 'POST',
  path: '/cluster/nodes/:id/cordon',
  name: 'cordonNode',
  permission: 'cluster:operate',
  reach: 'cluster',
  summary: 'The node takes nothing more; what it has in hand goes on. Repeating it is harmless.',
  id: NodeId,
  body: closed({}),
  bodyOptional: true,
  replies: { 202: Node },
  problems: ['NODE_NOT_FOUND'],
  handle: (context, { params }) => order(context, params.id, 'cordoned'),
})

export const uncordonNode = route({
  method: 'POST',
  path: '/cluster/nodes/:id/uncordon',
  name: 'uncordonNode',
  permission: 'cluster:operate',
  reach: 'cluster',
  summary: 'The node takes part again, after a cordon as after a drain. Repeating it is harmless.',
  id: NodeId,
  body: closed({}),
  bodyOptional: true,
  replies: { 202: Node },
  problems: ['NODE_NOT_FOUND'],
  handle: (context, { params }) => order(context, params.id, 'active'),
})

export const drainNode = route({
  method: 'POST',
  path: '/cluster/nodes/:id/drain',
  name: 'drainNode',
  permission: 'cluster:operate',
  reach: 'cluster',
  summary:
    'The node takes nothing more, hands back what it has, and is not ready. It stays up, until uncordon. Repeating it is harmless.',
  id: NodeId,
  body: closed({}),
  bodyOptional: true,
  replies: { 202: Node },
  problems: ['NODE_NOT_FOUND'],
  handle: (context, { params }) => order(context, params.id, 'drained'),
})

export const listLeaders = route({
  method: 'GET',
  path: '/cluster/leaders',
  name: 'listLeaders',
  permission: 'cluster:read',
  reach: 'cluster',
  summary: 'Who leads each election at the moment, by its name.',
  replies: { 200: listOf(Leader, WHOLE) },
  problems: ['PROVIDER_UNAVAILABLE'],
  async handle({ locks }) {
    if (locks === undefined) return { status: 200, body: toWholeList([]) }
    const found = await locks().monitor.list({ prefix: ELECTION, limit: MOST_LEADERS })
    const items = found.locks.flatMap(({ name, holders: [first], waitingCount }) =>
      first === undefined
        ? []
        : [
            {
              election: name.slice(ELECTION.length),
              name: first.holder?.node ?? 'unknown',
              host: first.holder?.host ?? '',
              pid: first.holder?.pid ?? 0,
              term: String(first.fence),
              since: iso(first.acquiredAt),
              expiresAt: iso(first.expiresAt),
              standby: waitingCount,
            },
          ],
    )
    return { status: 200, body: toWholeList(items) }
  },
})

export const listClusterEvents = route({
  method: 'GET',
  path: '/cluster/events',
  name: 'listClusterEvents',
  permission: 'cluster:read',
  reach: 'cluster',
  summary:
    'What happened to nodes, oldest first, in the order of commits. The latest ten thousand are kept, for a month.',
  query: closed({
    after: Type.Optional(
      Type.String({ pattern: '^[0-9]{1,18}$', description: 'Position of the last one that was read.' }),
    ),
    limit: Limit,
  }),
  replies: {
    200: Type.Object({
      items: Type.Array(ClusterEventItem),
      after: Type.String({ description: 'Where to read on; the same as was sent when there was nothing new.' }),
    }),
  },
  problems: [],
  async handle({ engine }, { query: { after = '0', limit = DEFAULT_ITEMS } }) {
    const events = await engine.cluster.events(after, limit)
    return {
      status: 200,
      body: { items: events.map(toWireClusterEvent), after: events.at(-1)?.position ?? after },
    }
  },
})
