/** Racing resumes with the gate on: one wins, whatever Redis does, and most of the others never reach the database. */
import { coordinator } from '@lockstep/coordination'
import { Engine, lockGate, workflow } from '@lockstep/engine'
import { openPostgres, postgresEngineStore } from '@lockstep/postgres'
import { redisProvider } from '@lockstep/redis'
import { cloneDatabase, type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { openClient } from '../../packages/redis/test/open-test-redis.ts'
import { until } from '../faults/until.ts'
import { edge } from './cache-site.ts'
import { ClusterSite, PATIENCE_MS, type SiteNode } from './membership-site.ts'

const ROUNDS = Number(process.env.LOCKSTEP_TEST_GATE_ROUNDS ?? 5)
const RACERS = 30

let redis: ServerHandle
beforeAll(async () => {
  redis = await startRedis({ quiet: true })
})
afterAll(() => redis?.stop())

const asks = {
  id: 'asks',
  name: 'Asks',
  activities: [
    { id: 'wait', type: 'wait-for-event', inputs: { event: 'answer' } },
    { id: 'tell', type: 'set-output', inputs: { name: 'answer', value: { $expr: 'steps.wait.output' } } },
  ],
  connections: [{ from: 'wait', to: 'tell' }],
}

describe('thirty racing resumes over two processes', { timeout: 300_000 }, () => {
  let site: ClusterSite
  let nodes: SiteNode[]
  beforeAll(async () => {
    site = await ClusterSite.open()
    const env = { LOCKSTEP_REDIS_URL: redis.url, LOCKSTEP_LOCKS: 'redis', LOCKSTEP_BUS: 'redis' }
    nodes = await Promise.all(['one', 'two'].map((name) => site.node(name, { ...env, LOCKSTEP_CACHE: 'redis' })))
    await nodes[0]!.publish(asks)
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  /** One instance, and everybody at once. */
  const race = async (): Promise<readonly string[]> => {
    const id = await nodes[0]!.start('asks')
    const waits = async () => (await nodes[0]!.api('GET', `/workflow-instances/${id}`)).waitingFor.length === 1
    await until('it waits', waits, PATIENCE_MS)
    const told = await Promise.all(
      Array.from({ length: RACERS }, (_, at) =>
        nodes[at % 2]!.ask('POST', `/api/v1/workflow-instances/${id}/resume`, { bookmark: 'answer', payload: at }),
      ),
    )
    const outcomes = told.map(({ body }) => body.outcome)
    const winner = told.findIndex(({ status }) => status === 200)
    expect(await nodes[1]!.ended(id)).toMatchObject({ status: 'completed', output: { answer: winner } })
    const journal = await nodes[0]!.api('GET', `/workflow-instances/${id}/journal?limit=100`)
    const steps = journal.items.filter((fact: { data: { step?: string } }) => fact.data.step === 'wait')
    expect(steps.map((fact: { kind: string }) => fact.kind)).toEqual(['waiting', 'completed'])
    return outcomes
  }
  const races = async (): Promise<void> => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const outcomes = await race()
      expect(outcomes.filter((outcome) => outcome === 'resumed')).toHaveLength(1)
      for (const outcome of outcomes) expect(['resumed', 'already-resumed', 'in-progress']).toContain(outcome)
    }
  }

  it('have one winner', races)

  it('have one winner while Redis is emptied every 50 ms', async () => {
    await using client = await openClient(redis.url)
    let over = false
    const flushing = (async () => {
      while (!over) {
        await client.flushAll()
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    })()
    try {
      await races()
    } finally {
      over = true
      await flushing
    }
  })

  it('have one winner while Redis hangs, while it is dead, and when it is back', async () => {
    await redis.pause()
    try {
      await races()
    } finally {
      await redis.resume()
    }
    await redis.kill9()
    try {
      await races()
    } finally {
      await redis.start()
    }
    await races()
  })
})

describe('the gate', () => {
  it('asks the database once for each process, or nearly, instead of once for each caller', async () => {
    const database = await cloneDatabase(inject('postgres'))
    const asking = workflow('asking', async (ctx) => ctx.waitFor('answer'))
    let asked = 0
    const open = async (name: string) => {
      const db = await openPostgres({ url: database.url, ...edge })
      const store = postgresEngineStore(db)
      const locks = coordinator({
        ...edge,
        provider: redisProvider({ ...edge, url: redis.url }),
        ownsProvider: true,
        name,
      })
      const counted: typeof store.stimuli = {
        ...store.stimuli,
        resume: (...given) => {
          asked += 1
          return store.stimuli.resume(...given)
        },
      }
      // Patient, so that a busy machine does not open it.
      const gate = lockGate({ ...edge, locks: () => locks, patienceMs: 30_000 })
      const options = { ...edge, workflows: [asking], name, pollMs: 500, gate }
      const engine = await Engine.open({ ...options, store: { ...store, stimuli: counted } })
      const close = async (): Promise<void> => {
        await engine.close(1_000)
        await locks.close()
        await db.close()
      }
      return { engine, close }
    }
    const nodes = [await open('one'), await open('two')]
    try {
      const { engine } = nodes[0]!
      const { instanceId } = await engine.start({ definitionId: 'asking' })
      await until('it waits', async () => (await engine.get(instanceId)).waitingFor.length === 1, PATIENCE_MS)
      const racers = Array.from({ length: RACERS }, (_, at) =>
        nodes[at % 2]!.engine.resume({ instanceId, bookmark: 'answer', payload: at }),
      )
      const outcomes = await Promise.all(racers)
      expect(outcomes.filter((outcome) => outcome === 'resumed')).toHaveLength(1)
      expect(asked).toBeLessThanOrEqual(6)
      expect(await engine.waitForEnd(instanceId, { limitMs: PATIENCE_MS })).toMatchObject({ status: 'completed' })
    } finally {
      for (const { close } of nodes) await close()
      await database.drop()
    }
  })
})
