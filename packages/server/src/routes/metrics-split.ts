import { toWireId } from '@lockstep/base'
import { partOfDefinition } from '@lockstep/engine/ports'
import Type from 'typebox'
import { deriveSeries } from '../metrics/derive-series.ts'
import { RANGES, rangeNames } from '../metrics/ranges.ts'
import type { PartTotals } from '../metrics/split-totals.ts'
import { RouteNotFound } from '../problem/request-errors.ts'
import { route } from '../route/route.ts'
import { iso } from '../wire/iso.ts'
import { closed, instant, nullable, oneOf } from '../wire/schema.ts'
import { curves, numbers, requireNode } from './metrics-query.ts'

/** With the others these are as many curves as one can tell apart. */
const MOST_NAMED = 5

const CURVES = [
  'completedPerMinute',
  'faultedPerMinute',
  'failureRate',
  'durationP50Ms',
  'durationP95Ms',
  'durationP99Ms',
]
const TOTALS = ['completed', 'faulted', 'cancelled', 'terminated', ...CURVES.slice(2)]

export const splitMetrics = route({
  method: 'GET',
  path: '/metrics/split',
  name: 'splitMetrics',
  permission: 'cluster:read',
  reach: 'cluster',
  summary:
    'The same by workflow or by node: the five in which most instances ended, and all others together. Rates, and quantiles from histograms.',
  query: closed({
    by: oneOf(
      ['definition', 'node'],
      'definition: workflows of the tenant that asks; those of others are among the others. node: of the last six hours, for rows of nodes are added up then.',
    ),
    range: Type.Optional(oneOf(rangeNames, '1h unless given.')),
    nodeId: Type.Optional(
      Type.String({ description: 'Of workflows on this node alone, of the last six hours: nod_….' }),
    ),
  }),
  replies: {
    200: Type.Object({
      by: oneOf(['definition', 'node']),
      range: Type.String(),
      from: instant('Where the first step begins.'),
      at: Type.Array(Type.Number(), { description: 'End of each step, milliseconds since 1970.' }),
      parts: Type.Array(
        Type.Object({
          definitionId: nullable('string'),
          nodeId: nullable('string'),
          curves: curves('A value for each step, by name; null where nothing came.'),
          totals: numbers('Counts, and quantiles of the whole range.'),
        }),
        { description: 'The busiest first. Where neither id is told, it is all others.' },
      ),
    }),
  },
  problems: ['NODE_NOT_FOUND'],
  async handle({ readings, tenant }, { query: { by, range = '1h', nodeId: wanted } }) {
    if (readings === undefined) throw new RouteNotFound({ method: 'GET', path: '/metrics/split' })
    const nodeId = wanted === undefined ? undefined : requireNode(wanted)
    const parts = await readings.readParts({
      ...{ ...RANGES[range], nodeId, most: MOST_NAMED },
      by: by === 'node' ? { kind: 'node' } : { kind: 'definition', tenant },
    })
    const [first] = parts
    const at = first === undefined ? [] : first.samples.slice(1).map((sample) => sample.at)
    const told = parts.map((each) => ({ ...nameOf(each, by, tenant), ...figuresOf(each) }))
    return { status: 200, body: { by, range, from: iso(first?.samples[0]?.at), at, parts: told } }
  },
})

function nameOf({ part }: PartTotals, by: 'definition' | 'node', tenant: string) {
  if (part === undefined) return { definitionId: null, nodeId: null }
  return by === 'node'
    ? { definitionId: null, nodeId: toWireId('node', part) }
    : { definitionId: part.slice(partOfDefinition(tenant, '').length), nodeId: null }
}

function figuresOf({ table, samples }: PartTotals) {
  const derived = deriveSeries(table, samples, samples.length)
  const pick = <T>(from: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T | null> =>
    Object.fromEntries(names.map((name) => [name, from[name] ?? null]))
  return {
    curves: Object.fromEntries(CURVES.map((name) => [name, derived.curves[name] ?? []])),
    totals: pick(derived.totals, TOTALS),
  }
}
