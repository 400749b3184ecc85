import { toWireId } from '@lockstep/base'
import Type from 'typebox'
import { deriveSeries } from '../metrics/derive-series.ts'
import { RouteNotFound } from '../problem/request-errors.ts'
import { route } from '../route/route.ts'
import { iso } from '../wire/instance.ts'
import { closed, instant, oneOf } from '../wire/schema.ts'

const RANGES = { '15m': 15 * 60_000, '1h': 3_600_000, '6h': 6 * 3_600_000, '24h': 24 * 3_600_000 } as const
/** More points than a screen has room for tell nobody more. */
const MOST_POINTS = 180

const numbers = (description: string) =>
  Type.Unsafe<unknown>({ type: 'object', additionalProperties: { type: ['number', 'null'] }, description })

export const queryMetrics = route({
  method: 'GET',
  path: '/metrics/query',
  name: 'queryMetrics',
  permission: 'cluster:read',
  reach: 'cluster',
  summary:
    'What the node that answers counted lately, as curves: rates, and quantiles from histograms. Kept in its memory, for a day at most.',
  query: closed({ range: Type.Optional(oneOf(Object.keys(RANGES) as (keyof typeof RANGES)[], '1h unless given.')) }),
  replies: {
    200: Type.Object({
      nodeId: Type.String({ description: 'Whose figures these are.' }),
      range: Type.String(),
      from: instant('The first reading that was used; later than the range where the node is younger.'),
      at: Type.Array(Type.Number(), { description: 'End of each step, milliseconds since 1970.' }),
      curves: Type.Unsafe<unknown>({
        type: 'object',
        additionalProperties: { type: 'array', items: { type: ['number', 'null'] } },
        description: 'A value for each step, by name; null where nothing came.',
      }),
      totals: numbers('Counts, and quantiles of the whole range.'),
    }),
  },
  problems: [],
  async handle({ engine, history }, { query: { range = '1h' } }) {
    if (history === undefined) throw new RouteNotFound({ method: 'GET', path: '/metrics/query' })
    const samples = await history.read(RANGES[range])
    const { at, curves, totals } = deriveSeries(history.table, samples, MOST_POINTS)
    const nodeId = toWireId('node', engine.nodeId)
    return { status: 200, body: { nodeId, range, from: iso(samples[0]?.at), at, curves, totals } }
  },
})
