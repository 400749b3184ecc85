import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { type Migration, migrate, openPostgres, planMigrations } from '@lockstep/postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { TestSite } from '../faults/test-bed.ts'
import { TestNode } from '../faults/test-node.ts'
import { until } from '../faults/until.ts'
import { type PreviousVersion, previousVersion } from '../setup/previous-version.ts'

/** What is called N-1 here: the last version before the newest migrations. */
const PREVIOUS = '1f155a0'

function migrationsOf(folder: string): readonly Migration[] {
  const from = path.join(folder, 'packages/postgres/migrations')
  return readdirSync(from)
    .filter((file) => /^\d{4}_.*\.sql$/.test(file))
    .sort()
    .map((file) => {
      const sql = readFileSync(path.join(from, file), 'utf8')
      const declared = /^-- compatible-from: (\d{4})$/m.exec(sql)?.[1]
      return {
        number: Number(file.slice(0, 4)),
        name: file.replace(/\.sql$/, ''),
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
        ...(declared === undefined ? {} : { compatibleFrom: Number(declared) }),
      }
    })
}

const LONG = { timeout: 300_000 }

/** Nobody is to be buried here because the machine is busy. */
const calm = { heartbeatMs: 300, ttlMs: 6_000 }

const wide = {
  id: 'wide',
  variables: { sum: { type: 'number', default: 0 } },
  activities: [
    {
      id: 'each',
      type: 'for-each',
      inputs: { items: Array.from({ length: 100 }, (_, index) => index) },
      body: {
        activities: [{ id: 'add', type: 'set-variable', inputs: { name: 'sum', value: { $expr: 'vars.sum + item' } } }],
        connections: [],
      },
    },
    { id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } },
    { id: 'out', type: 'set-output', inputs: { name: 'sum', value: { $expr: 'vars.sum' } } },
  ],
  connections: [
    { from: 'each', to: 'ask' },
    { from: 'ask', to: 'out' },
  ],
}

/** Of a test run: its second step must not be carried out. */
const pinned = {
  id: 'pinned',
  activities: [
    { id: 'rest', type: 'delay', inputs: { duration: '15s' } },
    { id: 'pay', type: 'note', inputs: { value: 'paid' } },
  ],
  connections: [{ from: 'rest', to: 'pay' }],
}

/** A database that no migration has seen. */
async function emptyDatabase(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const { adminUrl } = inject('postgres')
  const name = `rolling_${process.pid}`
  const admin = new pg.Client(adminUrl)
  await admin.connect()
  await admin.query(`create database ${name}`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    drop: async () => {
      await admin.query(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}

describe(`version ${PREVIOUS} and the present one on one database`, () => {
  let previous: PreviousVersion
  let old: readonly Migration[]
  let site: TestSite
  beforeAll(async () => {
    previous = await previousVersion(PREVIOUS, 'tests/faults/node-process.mjs')
    old = migrationsOf(previous.folder)
    const database = await emptyDatabase()
    const db = await openPostgres({ url: database.url, clock, random })
    await migrate(db, { mode: 'auto', clock, random, migrations: old })
    await db.script(
      'create table public.ledger (id bigint generated always as identity, instance_id uuid not null, step text not null)',
    )
    await db.close()
    site = await TestSite.open({ ...database, name: database.url } as Parameters<typeof TestSite.open>[0])
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  const openPrevious = async (name: string): Promise<TestNode> => {
    const node = new TestNode(previous.program)
    site.nodes.push(node)
    await node.call('open', site.openOptions({ name, engine: calm }))
    return node
  }
  const start = async (node: TestNode, definitionId: string, input: object): Promise<string> =>
    (await node.call<{ instanceId: string }>('start', { definitionId, input })).instanceId
  const resume = (node: TestNode, instanceId: string, bookmark: string): Promise<string> =>
    node.call('resume', { instanceId, bookmark, payload: bookmark })
  const statusOf = async (instanceId: string): Promise<string | undefined> =>
    (await site.rows<{ status: string }>('select status from instance where id = $1', instanceId))[0]?.status
  const agendaOf = async (instanceId: string): Promise<{ due: boolean; free: boolean }> =>
    (
      await site.rows<{ due: boolean; free: boolean }>(
        'select due_at <= clock_timestamp() as due, claimed_by is null as free from agenda where instance_id = $1',
        instanceId,
      )
    )[0]!
  const waitsFor = (instanceId: string, name: string): Promise<void> =>
    until(`it waits for ${name}`, async () => {
      const found = await site.rows('select 1 from bookmark where instance_id = $1 and name = $2', instanceId, name)
      return found.length === 1
    })

  it(
    'work side by side: the present one migrates under load, and instances of one go on at the other',
    LONG,
    async () => {
      const before = await openPrevious('before')
      const early = await Promise.all([1, 2, 3, 4].map((n) => start(before, 'scripted-order', { n })))
      let [isOver, count] = [false, 0]
      const load = (async () => {
        while (!isOver) {
          await start(before, 'scripted-child', { n: 1 })
          count += 1
        }
      })()
      const pending = (await planMigrations(site.db)).filter((each) => each.status === 'pending')
      expect(pending.length).toBeGreaterThan(0)
      await migrate(site.db, { mode: 'auto', clock, random })
      const migrated = count
      await until('the older one works on behind the migration', () => count > migrated + 20)

      const now = await site.node({ name: 'now', engine: calm })
      const late = await Promise.all([5, 6, 7, 8].map((n) => start(now, 'scripted-order', { n })))
      for (const id of [...early, ...late]) await waitsFor(id, 'go')
      // Each is told by the version that did not start it.
      for (const id of early) expect(await resume(now, id, 'go')).toBe('resumed')
      for (const id of late) expect(await resume(before, id, 'go')).toBe('resumed')
      isOver = true
      await load
      for (const id of [...early, ...late]) await waitsFor(id, 'again')

      await before.kill9()
      const restarted = await openPrevious('restarted')
      const after = await start(restarted, 'scripted-child', { n: 9 })
      for (const [index, id] of [...early, ...late].entries())
        expect(await resume(index % 2 === 0 ? now : restarted, id, 'again')).toBe('resumed')
      for (const id of [...early, ...late, after])
        await until('it has ended', async () => (await statusOf(id)) === 'completed')

      // And back: the older one alone, on the newer schema, as after a deployment that was called off.
      await now.close()
      const last = await start(restarted, 'scripted-order', { n: 10 })
      await waitsFor(last, 'go')
      await resume(restarted, last, 'go')
      await waitsFor(last, 'again')
      await resume(restarted, last, 'again')
      await until('it has ended', async () => (await statusOf(last)) === 'completed')
      await until('nothing is left to do', async () => (await site.rows('select 1 from agenda')).length === 0)
      expect(await site.violations()).toEqual([])
      expect(await site.rows(`select status from instance where status <> 'completed'`)).toEqual([])
      const writers = await site.rows('select distinct node_id from journal')
      expect(writers.length).toBeGreaterThanOrEqual(3)
    },
  )

  it(
    'go on with graphs that the other one began, from its snapshots, and leave alone what they cannot read',
    LONG,
    async () => {
      const old = await openPrevious('old')
      const now = await site.node({ name: 'new', engine: calm })
      for (const document of [wide, pinned]) await now.call('publishDocument', { document })
      const [theirs, ours] = [await start(old, 'wide', { n: 1 }), await start(now, 'wide', { n: 2 })]
      for (const id of [theirs, ours]) {
        await waitsFor(id, 'go')
        // Long enough for a snapshot, so that the other version begins from there.
        const found = await site.rows<{ seq: number }>('select snapshot_seq as seq from instance where id = $1', id)
        expect(found[0]!.seq).toBeGreaterThan(64)
      }
      expect(await resume(now, theirs, 'go')).toBe('resumed')
      expect(await resume(old, ours, 'go')).toBe('resumed')
      for (const id of [theirs, ours]) await until('it has ended', async () => (await statusOf(id)) === 'completed')

      const pins = { pay: { output: 'not paid' } }
      const run = { definitionId: 'pinned', pins }
      const { instanceId } = await now.call<{ instanceId: string }>('testRun', run)
      await until('it rests', async () => (await statusOf(instanceId)) === 'suspended')
      await now.close()
      // The older one would pay. It takes what else is due, and not this.
      const beside = await start(old, 'scripted-child', { n: 1 })
      await until('it is due', async () => (await agendaOf(instanceId)).due)
      await until('the other has ended', async () => (await statusOf(beside)) === 'completed')
      expect(await agendaOf(instanceId)).toEqual({ due: true, free: true })
      await site.node({ name: 'newer', engine: calm })
      await until('it has ended', async () => (await statusOf(instanceId)) === 'completed')
      const [paid] = await site.rows<{ by: string }>(
        `select data ->> 'by' as by from journal where instance_id = $1 and kind = 'completed' and data ->> 'step' = 'pay'`,
        instanceId,
      )
      expect(paid).toEqual({ by: 'pin' })
      expect(await site.violations()).toEqual([])
    },
  )

  it('agree that the newer schema lets the older one in', async () => {
    const plan = await planMigrations(site.db, old)
    expect(plan.every((each) => each.status === 'applied')).toBe(true)
  })
})
