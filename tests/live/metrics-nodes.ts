import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { type AnyWorkflow, Engine } from '@lockstep/engine'
import {
  type Db,
  openPostgres,
  postgresBrowse,
  postgresEngineStore,
  postgresIdempotency,
  postgresMetrics,
  statement,
} from '@lockstep/postgres'
import { MetricsHistory, MetricsReadings, NodeMetrics, openHttpServer } from '@lockstep/server'

import { until } from '../faults/until.ts'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }

/** A node that is only slow is not buried: its counts would go on elsewhere. */
const LONG_MS = 120_000

export interface Figures {
  readonly scope: string
  readonly nodeId: string
  readonly from: string
  readonly at: readonly number[]
  readonly curves: Readonly<Record<string, readonly (number | null)[]>>
  readonly totals: Readonly<Record<string, number | null>>
}

export interface SplitFigures {
  readonly at: readonly number[]
  readonly parts: readonly (Pick<Figures, 'curves' | 'totals'> & {
    readonly definitionId: string | null
    readonly nodeId: string | null
  })[]
}

/** A node in this process that counts, and writes what it counted when it is told to. */
export interface MeasuredNode {
  readonly db: Db
  readonly engine: Engine
  readonly readings: MetricsReadings
  query(search?: Readonly<Record<string, string>>): Promise<Figures>
  split(by: 'definition' | 'node', search?: Readonly<Record<string, string>>): Promise<SplitFigures>
  /** Settles when so many more instances have ended here, and were counted. */
  run(workflow: AnyWorkflow, count: number): Promise<void>
  /** As a crash does: nothing is written any more. */
  close(): Promise<void>
}

export async function openMeasuredNode(
  url: string,
  workflows: readonly AnyWorkflow[],
  store = postgresMetrics,
): Promise<MeasuredNode> {
  const db = await openPostgres({ url, ...edge })
  const metrics = new NodeMetrics(systemClock)
  const engine = await Engine.open({ ...edge, store: postgresEngineStore(db), workflows, metrics, ttlMs: LONG_MS })
  const history = new MetricsHistory(metrics.registry, systemClock)
  history.run()
  const readings = new MetricsReadings({
    ...{ ...edge, history, definitions: metrics.definitions, store: store(db) },
    nodeId: () => engine.nodeId,
    storeTime: () => engine.storeTime(),
  })
  const http = await openHttpServer({
    ...edge,
    ...{ host: '127.0.0.1', port: 0, basePath: '', engine, history, readings },
    health: { started: () => true, ready: async () => [] },
    browse: postgresBrowse(db),
    idempotency: postgresIdempotency(db),
  })
  const ask = async (of: string, search: Readonly<Record<string, string>>): Promise<unknown> => {
    const response = await fetch(`${http.url}/api/v1/metrics/${of}?${new URLSearchParams(search)}`)
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    return response.json()
  }
  return {
    db,
    engine,
    readings,
    query: async (search = {}) => (await ask('query', search)) as Figures,
    split: async (by, search = {}) => (await ask('split', { by, ...search })) as SplitFigures,
    run: async (workflow, count) => {
      const ends = (): Promise<number> => endsOf(metrics)
      const wanted = (await ends()) + count
      for (let n = 0; n < count; n += 1) await engine.start({ definitionId: workflow.id })
      await until('all of them ended here', async () => (await ends()) >= wanted, 60_000)
    },
    close: async () => {
      history.stop()
      await http.close()
      await engine.close(1_000)
      await db.close()
    },
  }
}

async function endsOf({ registry }: NodeMetrics): Promise<number> {
  const found = (await registry.getMetricsAsJSON()).find(({ name }) => name === 'lockstep_instances_ended_total')
  return (found?.values ?? []).reduce((sum, { value }) => sum + value, 0)
}

const age = statement<{ ms: number }>(
  'test_age_readings',
  (p) => [p.ms],
  `update metric_reading set at = at - $1::float8 * interval '1 millisecond'`,
)
const rows = statement<undefined, { slot_ms: number; node_id: string | null; sums: Record<string, number> }>(
  'test_readings',
  () => [],
  'select slot_ms, node_id, sums from metric_reading order by id',
)

/** Makes every row there is older by so much. */
export const ageReadings = async (db: Db, ms: number): Promise<void> => void (await db.run(age, { ms }))
export const readingsOf = (db: Db) => db.many(rows)
