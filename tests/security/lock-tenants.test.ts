/** Keys of locks come from data: nobody takes the lock of another tenant, or one of the engine, by writing its name. */
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { type Coordinator, coordinator } from '@lockstep/coordination'
import { workflow } from '@lockstep/engine'
import { lockNameOf } from '@lockstep/engine/ports'
import { postgresBrowse, postgresCoordination } from '@lockstep/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../engine/open-test-engine.ts'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const names: string[] = []
/** What the engine is given: the real locks, and a note of what they were asked for. */
let locks: Coordinator
let opened: TestEngine

const byFunction = workflow('by-function', async (ctx, input: { key: string }) =>
  ctx.lock(input.key, async () => 'held', { waitMs: 0 }),
)
const section = {
  id: 'by-section',
  activities: [
    {
      id: 'alone',
      type: 'critical-section',
      inputs: { lock: { $expr: 'input.key' }, waitTimeout: '0s' },
      body: {
        activities: [{ id: 'done', type: 'set-output', inputs: { name: 'got', value: 'held' } }],
        connections: [],
      },
    },
  ],
  connections: [],
}
const policy = {
  id: 'by-policy',
  activities: [
    {
      id: 'alone',
      type: 'touch',
      lock: { name: { $expr: 'input.key' }, waitMs: 0 },
    },
  ],
  connections: [],
}

beforeAll(async () => {
  let given: Coordinator | undefined
  opened = await openTestEngine({
    workflows: [byFunction],
    activities: [
      {
        type: 'touch',
        kind: 'action',
        title: 'Touch',
        description: 'For tests.',
        outcomes: ['done'],
        inputs: { type: 'object' },
        runs: 'effect',
        run: async () => ({ kind: 'completed', outcome: 'done' }),
      },
    ],
    locks: {
      mutex: (name, options) => {
        names.push(name)
        return given!.mutex(name, options)
      },
    },
  })
  given = coordinator({ ...edge, provider: postgresCoordination(opened.db, edge), ownsProvider: true, ttlMs: 30_000 })
  locks = given
  for (const document of [section, policy]) await opened.publish(document)
})
afterAll(async () => {
  await locks?.close()
  await opened?.[Symbol.asyncDispose]()
})

describe('a lock whose key comes from data', () => {
  it.each(['by-function', 'by-section', 'by-policy'])('is of its own tenant and no other: %s', async (definitionId) => {
    for (const [key, taken] of [
      ['@acme/orders', lockNameOf('acme', 'orders')],
      ['election:scheduler', 'election:scheduler'],
      ['maintenance:retention', 'maintenance:retention'],
    ] as const) {
      await using theirs = await locks.mutex(taken).acquire()
      expect((await opened.run(definitionId, { key })).status).toBe('completed')
      expect(names.at(-1)).toBe(`@default/${key}`)
      expect(theirs.signal.aborted).toBe(false)
    }
    for (const key of ['plain', 'acme/orders']) {
      expect((await opened.run(definitionId, { key })).status).toBe('completed')
      expect(names.at(-1)).toBe(key)
    }
  })

  it('is held against those who write the same key', async () => {
    await using _ = await locks.mutex(lockNameOf('default', '@acme/orders')).acquire()
    expect((await opened.run('by-function', { key: '@acme/orders' })).status).toBe('faulted')
    expect(names.at(-1)).toBe('@default/@acme/orders')
  })

  it('is counted for the tenant that waits', async () => {
    await opened.db.script(`
      insert into step_permit (tenant, kind, key, instance_id, step, ticket, asked_at)
      select t, 'lock', k, gen_random_uuid(), 's', n, now()
        from (values ('acme', 'orders', 1), ('default', '@acme/orders', 2), ('default', '@acme/orders', 3)) as v (t, k, n)`)
    const { lockLines } = postgresBrowse(opened.db)
    const lines = await lockLines(['@acme/orders', '@default/@acme/orders', 'election:scheduler'])
    expect([lines.get('@acme/orders'), lines.get('@default/@acme/orders')]).toEqual([1, 2])
  })
})
