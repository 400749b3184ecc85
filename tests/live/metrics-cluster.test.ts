import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { postgresMetrics } from '@lockstep/postgres'
import { type ClonedDatabase, cloneDatabase } from '@lockstep/testing/harness'
import { resolveNodeOptions, startNode, workflow } from 'lockstep'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { until } from '../faults/until.ts'
import { type Figures, openMeasuredNode, readingsOf, type SplitFigures } from './metrics-nodes.ts'

const quick = workflow('quick', async (ctx) => ctx.step('count', async () => 7))
const faulty = workflow('faulty', async (ctx) => ctx.step('boom', async () => Promise.reject(new Error('no'))))
const workflows = [quick, faulty]

let database: ClonedDatabase
beforeAll(async () => {
  database = await cloneDatabase(inject('postgres'))
})
afterAll(() => database?.drop())

const counts = ({ totals: { started, completed, faulted } }: Figures) => ({ started, completed, faulted })

describe('metrics of a cluster', () => {
  beforeEach(async () => {
    const node = await openMeasuredNode(database.url, workflows)
    await node.db.script('truncate metric_reading')
    await node.close()
  })

  it('are the same whoever answers, and stay when a node dies', async () => {
    const [one, two] = [
      await openMeasuredNode(database.url, workflows),
      await openMeasuredNode(database.url, workflows),
    ]
    try {
      await Promise.all([one.run(quick, 3), two.run(quick, 4).then(() => two.run(faulty, 1))])
      // What the node that answers has counted is there at once.
      expect(counts(await one.query())).toEqual({ started: 3, completed: 3, faulted: 0 })
      await Promise.all([one.readings.write(), two.readings.write()])
      const [first, second] = [await one.query(), await two.query()]
      expect(counts(first)).toEqual({ started: 8, completed: 7, faulted: 1 })
      expect(second.totals).toEqual(first.totals)
      expect(first).toMatchObject({ scope: 'cluster', totals: { failureRate: 1 / 8 } })
      expect(first.totals.stepP95Ms).toBeGreaterThan(0)
      expect(counts(await one.query({ scope: 'node' }))).toEqual({ started: 3, completed: 3, faulted: 0 })

      const id = two.engine.nodeId
      await two.close()
      expect(counts(await one.query())).toEqual({ started: 8, completed: 7, faulted: 1 })
      const dead = await one.query({ nodeId: `nod_${id}` })
      expect([dead.scope, dead.nodeId, counts(dead)]).toEqual([
        'node',
        `nod_${id}`,
        { started: 5, completed: 4, faulted: 1 },
      ])
      expect(counts(await one.query({ range: '30d' }))).toEqual(counts(first))
    } finally {
      await Promise.allSettled([one.close(), two.close()])
    }
  })

  it('are told by workflow and by node, before and after they are written', async () => {
    const [one, two] = [
      await openMeasuredNode(database.url, workflows),
      await openMeasuredNode(database.url, workflows),
    ]
    try {
      await Promise.all([one.run(quick, 3), two.run(quick, 1).then(() => two.run(faulty, 2))])
      const ends = ({ parts }: SplitFigures) =>
        parts.map(({ definitionId, nodeId, totals: { completed, faulted } }) => [
          definitionId ?? nodeId,
          completed,
          faulted,
        ])
      expect(ends(await one.split('definition'))).toEqual([['quick', 3, 0]])
      await two.readings.write()
      const [mine, other] = [`nod_${one.engine.nodeId}`, `nod_${two.engine.nodeId}`]
      for (const _ of ['before', 'after']) {
        const found = await one.split('definition')
        expect(ends(found)).toEqual([
          ['quick', 4, 0],
          ['faulty', 0, 2],
        ])
        expect(found.parts[0]?.totals.durationP95Ms).toBeGreaterThan(0)
        expect(found.parts[1]?.totals).toMatchObject({ failureRate: 1, durationP95Ms: null })
        expect(found.parts[0]?.curves.completedPerMinute).toHaveLength(found.at.length)
        expect(ends(await one.split('node')).sort()).toEqual([[mine, 3, 0] as const, [other, 1, 2] as const].sort())
        expect(ends(await one.split('definition', { nodeId: mine }))).toEqual([['quick', 3, 0]])
        await one.readings.write()
      }
      expect(ends(await two.split('definition', { range: '30d' }))).toEqual([
        ['quick', 4, 0],
        ['faulty', 0, 2],
      ])
    } finally {
      await Promise.allSettled([one.close(), two.close()])
    }
  })

  it('count what is written while somebody asks once', async () => {
    const node = await openMeasuredNode(database.url, workflows)
    try {
      for (let round = 1; round <= 5; round += 1) {
        await node.run(quick, 2)
        const asked = Array.from({ length: 4 }, () => node.query())
        await node.readings.write()
        for (const figures of await Promise.all(asked)) expect(figures.totals.started).toBe(round * 2)
      }
    } finally {
      await node.close()
    }
  })

  it('cost an idle node no row, and one that works one row', async () => {
    const node = await openMeasuredNode(database.url, workflows)
    try {
      await node.readings.write()
      await node.query()
      await node.readings.write()
      expect(await readingsOf(node.db)).toEqual([])
      await node.run(quick, 2)
      await node.readings.write()
      await node.readings.write()
      expect(await readingsOf(node.db)).toMatchObject([
        {
          slot_ms: 60_000,
          node_id: node.engine.nodeId,
          sums: { started: 2, 'ended:completed': 2, readings: 1 },
        },
      ])
    } finally {
      await node.close()
    }
  })

  it('leave a minute out when the store does not answer, and count none twice when only its answer was lost', async () => {
    let fails: 'before' | 'after' | undefined
    const node = await openMeasuredNode(database.url, workflows, (db) => {
      const store = postgresMetrics(db)
      return {
        ...store,
        write: async (id, sums) => {
          if (fails === 'before') throw new Error('the store is away')
          await store.write(id, sums)
          if (fails === 'after') throw new Error('its answer was lost')
        },
      }
    })
    try {
      for (fails of ['after', undefined, 'before', undefined] as const) {
        await node.run(quick, 1)
        await node.readings.write()
      }
      expect((await node.query()).totals.started).toBe(3)
    } finally {
      await node.close()
    }
  })

  it('are refused for what is no node', async () => {
    const node = await openMeasuredNode(database.url, workflows)
    try {
      await expect(node.query({ nodeId: 'wfi_7' })).rejects.toThrow('NODE_NOT_FOUND')
    } finally {
      await node.close()
    }
  })
})

describe('a node that starts again', () => {
  it('still knows what was counted before, on the embedded store too', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'lockstep-readings-'))
    const options = resolveNodeOptions({ port: 0, dataDir })
    const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
    const open = () => startNode(options, edge, { workflows, activities: [], jobs: [] })
    const ask = async (url: string, scope: string): Promise<Figures> =>
      (await (await fetch(`${url}/api/v1/metrics/query?range=24h&scope=${scope}`)).json()) as Figures
    try {
      const before = await open()
      const started = await fetch(`${before.url}/api/v1/workflow-instances`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ definitionId: 'quick', wait: '60s' }),
      })
      expect(started.status).toBeLessThan(300)
      await until('it was counted', async () => (await ask(before.url, 'cluster')).totals.completed === 1, 60_000)
      await before.stop()
      const after = await open()
      try {
        expect((await ask(after.url, 'cluster')).totals).toMatchObject({ started: 1, completed: 1 })
        expect((await ask(after.url, 'node')).totals.started ?? 0).toBe(0)
      } finally {
        await after.stop()
      }
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})
