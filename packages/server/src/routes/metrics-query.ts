import { toWireId, tryFromWireId } from '@lockstep/base'
import Type from 'typebox'
import { deriveSeries } from '../metrics/derive-series.ts'
import type { MetricsHistory } from '../metrics/history.ts'
import type { MetricsReadings } from '../metrics/metrics-readings.ts'
import { RANGES, type Range, rangeNames } from '../metrics/ranges.ts'
import { NodeNotFound, RouteNotFound } from '../problem/request-errors.ts'
import { route } from '../route/route.ts'
import { iso } from '../wire/iso.ts'
import { closed, instant, oneOf } from '../wire/schema.ts'

const MOST_POINTS = 180

export const numbers = (description: string) =>
  Type.Unsafe<unknown>({ type: 'object', additionalProperties: { type: ['number', 'null'] }, description })

export const curves = (description: string) =>
  Type.Unsafe<unknown>({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: ['number', 'null'] } },
    description,
  })

export const queryMetrics = route({
  method: 'GET',
  path: '/metrics/query',
  name: 'queryMetrics',
  permission: 'cluster:read',
  reach: 'cluster',
  summary:
    'What the nodes of the cluster counted, as curves: rates, and quantiles from histograms. Kept for a month, the coarser the older.',
  query: closed({
    range: Type.Optional(oneOf(rangeNames, '1h unless given.')),
    scope: Type.Optional(
      oneOf(
        ['cluster', 'node'],
        'cluster unless given: of all nodes, by minutes; what others counted in the last one comes when it is over. node: of the one that answers, from its memory, a day at most.',
      ),
    ),
    nodeId: Type.Optional(
      Type.String({ description: 'Of this node alone, whoever answers: nod_…. By minutes, of the last six hours.' }),
    ),
  }),
  replies: {
    200: Type.Object({
      scope: oneOf(['cluster', 'node'], 'Whether these are figures of all nodes.'),
      nodeId: Type.String({ description: 'Whose figures these are; of all nodes: who answered.' }),
      range: Type.String(),
      from: instant('Where the first step begins; later than the range where there is nothing from before.'),
      at: Type.Array(Type.Number(), { description: 'End of each step, milliseconds since 1970.' }),
      curves: curves(
        'A value for each step, by name; null where nothing came. Levels, such as memory, are the mean of the nodes that did something.',
      ),
      totals: numbers('Counts, and quantiles of the whole range.'),
    }),
  },
  problems: ['NODE_NOT_FOUND'],
  async handle({ engine, history, readings }, { query: { range = '1h', scope = 'cluster', nodeId: wanted } }) {
    const one = wanted === undefined ? undefined : requireNode(wanted)
    const isOwn = readings === undefined || (scope === 'node' && one === undefined)
    const { samples, ...derived } = isOwn ? await own(history, range) : await kept(readings, range, one)
    const whose = {
      scope: isOwn || one !== undefined ? 'node' : 'cluster',
      nodeId: toWireId('node', isOwn || one === undefined ? engine.nodeId : one),
    }
    return { status: 200, body: { ...whose, range, from: iso(samples[0]?.at), ...derived } }
  },
})

async function own(history: MetricsHistory | undefined, range: Range) {
  if (history === undefined) throw new RouteNotFound({ method: 'GET', path: '/metrics/query' })
  const samples = await history.read(RANGES[range].rangeMs)
  return { samples, ...deriveSeries(history.table, samples, MOST_POINTS) }
}

async function kept(readings: MetricsReadings, range: Range, nodeId: string | undefined) {
  const { table, samples } = await readings.read({ ...RANGES[range], nodeId })
  return { samples, ...deriveSeries(table, samples, samples.length) }
}

/** The id in a wire id of a node. */
export function requireNode(wireId: string): string {
  const id = tryFromWireId('node', wireId)
  if (id === undefined) throw new NodeNotFound({ id: wireId.slice(0, 100) })
  return id
}
