import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { lockstepClient } from '@lockstep/api'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { openPglite, statement } from '@lockstep/postgres'
import { cloneDatabase } from '@lockstep/testing/harness'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { resolveNodeOptions } from '../../packages/lockstep/src/options/node-options.ts'
import type { RawOptions } from '../../packages/lockstep/src/options/raw-options.ts'
import { startNode } from '../../packages/lockstep/src/start-node.ts'
import { burnNumbers, transactionNumber } from '../../packages/lockstep/src/transfer/transfer.sql.ts'
import { codeBlocks } from '../docs/code-blocks.ts'
import { runIn } from './open-cli.ts'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const documents = {
  timed: {
    activities: [
      { id: 'wait', type: 'wait-until', inputs: { at: { $expr: 'input.at' } } },
      { id: 'out', type: 'set-output', inputs: { name: 'woken', value: true } },
    ],
    connections: [{ from: 'wait', to: 'out' }],
  },
  asked: {
    activities: [
      { id: 'ask', type: 'wait-for-event', inputs: { event: 'answered' } },
      { id: 'out', type: 'set-output', inputs: { name: 'by', value: { $expr: 'steps.ask.output.by' } } },
    ],
    connections: [{ from: 'ask', to: 'out' }],
  },
  failing: {
    variables: { sound: { type: 'boolean', default: false } },
    activities: [
      { id: 'check', type: 'if', inputs: { condition: { $expr: 'vars.sound' } } },
      { id: 'boom', type: 'fault', inputs: { message: 'no more paper' } },
      { id: 'out', type: 'set-output', inputs: { name: 'ok', value: true } },
    ],
    connections: [
      { from: 'check', outcome: 'false', to: 'boom' },
      { from: 'check', outcome: 'true', to: 'out' },
    ],
  },
  hourly: { activities: [{ id: 'out', type: 'set-output', inputs: { name: 'fired', value: true } }] },
}

let folder: string
let data: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lockstep-stores-'))
  data = path.join(folder, '.lockstep')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const open = async (options: RawOptions) => {
  const node = await startNode(resolveNodeOptions({ port: '0', auth: 'none', ...options }), edge)
  return { ...node, api: lockstepClient({ url: node.url }) }
}
const run = (...words: string[]) => runIn(folder, {}, words)
/** The lines that a page shows, as they stand there. */
const followPage = async (page: string, environment: Record<string, string>): Promise<string[]> => {
  const said: string[] = []
  for (const { language, code } of codeBlocks(`docs/how-to/${page}.md`)) {
    expect(language).toBe('sh')
    for (const line of code.trim().split('\n')) {
      const ran = await runIn(folder, environment, line.split(' ').slice(1))
      expect([line, ran.code, ran.err]).toEqual([line, 0, ''])
      said.push(ran.out)
    }
  }
  return said
}
const ok = async (...words: string[]) => {
  const ran = await run(...words)
  expect([words.join(' '), ran.code, ran.err]).toEqual([words.join(' '), 0, ''])
  return ran
}
const fails = async (code: number, message: RegExp, ...words: string[]) => {
  const ran = await run(...words)
  expect([words.join(' '), ran.code]).toEqual([words.join(' '), code])
  expect(ran.err).toMatch(message)
}

describe('an embedded store', () => {
  const ids = { timed: '', asked: '', failing: '' }
  let facts = 0

  it('has instances under way when its node stops, and is not touched while it runs', async () => {
    const node = await open({ dataDir: data, scheduler: 'off' })
    for (const [id, document] of Object.entries(documents))
      await node.api.saveAndPublishWorkflowDefinition({ id, body: { id, ...document } })
    await node.api.createSchedule({
      body: { id: 'often', trigger: { interval: '2s' }, definitionId: 'hourly', overlap: 'allow' } as never,
    })
    await node.api.createUser({ body: { name: 'ana', password: 'correct horse battery', role: 'viewer' } })
    const start = async (definitionId: keyof typeof ids, input?: unknown) => {
      const { body } = await node.api.startWorkflowInstance({ body: { definitionId, input } })
      ids[definitionId] = body.id
      const rests = definitionId === 'failing' ? 'faulted' : 'suspended'
      await expect.poll(async () => (await node.api.getWorkflowInstance({ id: body.id })).body.status).toBe(rests)
    }
    await start('asked', { customer: null, text: 'Grüße, \\u0041 \n "quoted"' })
    await start('failing')
    await fails(5, /in use by process.*\[DATA_FOLDER_IN_USE\]/, 'backup', 'store.tar.gz', '--data-dir', '.lockstep')
    await fails(
      5,
      /\[DATA_FOLDER_IN_USE\]/,
      'move',
      '--data-dir',
      '.lockstep',
      '--database-url',
      inject('postgres').adminUrl,
    )
    await start('timed', { at: new Date(Date.now() + 20_000).toISOString() })
    await node.stop()
  })

  it('is backed up and brought back as the page says', async () => {
    const [saved, restored, examined] = await followPage('backup-and-restore', {})
    expect(saved).toMatch(/^store\.tar\.gz holds the store in .*\.lockstep \(\d+ files, \d+ MB\)\n$/)
    expect(restored).toMatch(/restored is as it was at 20/)
    expect(examined).toMatch(/^Healthy: looked at/)
  })

  it('is not written over another file unasked', async () => {
    await fails(5, /\[WOULD_OVERWRITE\]/, 'backup', 'store.tar.gz')
    const told = (await ok('backup', 'store.tar.gz', '--force', '--json')).json
    expect(told.files).toBeGreaterThan(100)
    expect(existsSync(path.join(folder, 'store.tar.gz.part'))).toBe(false)
  })

  it('is restored from it, but never over another, and not from a file that is damaged', async () => {
    await fails(
      5,
      /is there already.*--force.*\[WOULD_OVERWRITE\]/,
      'restore',
      'store.tar.gz',
      '--data-dir',
      '.lockstep',
    )
    const whole = readFileSync(path.join(folder, 'store.tar.gz'))
    writeFileSync(path.join(folder, 'cut.tar.gz'), whole.subarray(0, whole.length / 2))
    const bent = Buffer.from(whole)
    bent[Math.floor(bent.length / 2)]! ^= 0xff
    writeFileSync(path.join(folder, 'bent.tar.gz'), bent)
    for (const file of ['cut.tar.gz', 'bent.tar.gz', 'nowhere.tar.gz'])
      await fails(6, /\[BACKUP_DAMAGED\]/, 'restore', file, '--data-dir', 'other')
    expect(existsSync(path.join(folder, 'other'))).toBe(false)
    const { before } = (await ok('restore', 'store.tar.gz', '--data-dir', '.lockstep', '--force', '--json')).json
    expect(before).toBe(`${data}.before-restore`)
    expect((await ok('migrate', '--data-dir', '.lockstep')).out).toBe('The schema is up to date\n')
    const piped = await runIn(folder, { LOCKSTEP_OUTPUT: '' }, ['migrate', '--data-dir', '.lockstep'])
    expect(JSON.parse(piped.out)).toEqual({ applied: [] })
  })

  it('moves into an empty PostgreSQL with all its rows, and its folder is put aside', async () => {
    await using database = await cloneDatabase(inject('postgres'))
    const to = ['--data-dir', '.lockstep', '--database-url', database.url]
    const dry = (await ok('move', ...to, '--dry-run', '--json')).json
    expect(dry.tables).toContainEqual({ name: 'instance', rows: 3 })
    expect(await query(database.url, 'select count(*)::int4 as n from lockstep.instance')).toEqual([{ n: 0 }])
    await leaveLikeKilled(database.url)
    const [shown, moved] = await followPage('move-to-postgresql', { LOCKSTEP_DATABASE_URL: database.url })
    expect(shown).toMatch(/instance +3\n[\s\S]*rows would be moved; the target is empty\n$/)
    expect(moved).toMatch(/journal +\d+\n[\s\S]*rows were moved and compared\. The folder is kept as .*\.moved\n$/)
    expect([existsSync(`${data}.moved`), existsSync(data)]).toEqual([true, false])
    renameSync(`${data}.moved`, data)
    await fails(5, /\[MOVE_TARGET_NOT_EMPTY\]/, 'move', ...to)
    await fails(2, /\[INVALID_OPTION\]/, 'move', '--database-url', 'mysql://localhost/x')

    const node = await open({ databaseUrl: database.url, heartbeatMs: '200' })
    try {
      const { api } = node
      const read = async (id: string) => (await api.getWorkflowInstance({ id })).body
      expect(await read(ids.asked)).toMatchObject({
        status: 'suspended',
        input: { customer: null, text: 'Grüße, \\u0041 \n "quoted"' },
      })
      facts = (await api.readWorkflowJournal({ id: ids.asked })).body.items.length
      expect((await api.publishEvent({ body: { name: 'answered', payload: { by: 'bo' } } })).body.matched).toBe(1)
      const ends = (id: string) => expect.poll(() => read(id), { timeout: 60_000 })
      await ends(ids.asked).toMatchObject({ status: 'completed', output: { by: 'bo' } })
      expect(await read(ids.failing)).toMatchObject({ status: 'faulted', incidents: [{ step: 'boom' }] })
      await api.retryWorkflowInstance({ id: ids.failing, body: { step: 'check', variables: { sound: true } } })
      await ends(ids.failing).toMatchObject({ status: 'completed', output: { ok: true } })
      await ends(ids.timed).toMatchObject({ status: 'completed', output: { woken: true } })
      const fired = async () => (await api.listWorkflowInstances({ query: { definition: 'hourly' } })).body.items
      await expect.poll(async () => (await fired())[0], { timeout: 60_000 }).toMatchObject({ status: 'completed' })
      expect((await api.listUsers()).body.items).toMatchObject([{ name: 'ana', role: 'viewer' }])
      expect((await api.examineStore()).body).toMatchObject({ healthy: true })
      const { items } = (await api.readWorkflowJournal({ id: ids.asked })).body
      expect(items.map(({ seq }) => seq)).toEqual(items.map((_, at) => at + 1))
      expect(BigInt(items[facts]!.position)).toBeGreaterThan(BigInt(items[facts - 1]!.position))
    } finally {
      await node.stop()
    }
  })

  it('shows its schema, prints what it lacks, and gets it', async () => {
    await using database = await cloneDatabase(inject('postgres'))
    await query(database.url, 'drop schema lockstep cascade')
    const at = ['--database-url', database.url]
    expect((await ok('migrate', ...at, '--status')).out).toMatch(
      /^pending {2}0001_base\n[\s\S]*(\d+) of \1 steps to apply\n$/,
    )
    expect((await ok('migrate', ...at, '--dry-run')).out).toMatch(/^-- 0001_base\n[\s\S]*create table instance/)
    expect(await query(database.url, `select 1 from pg_namespace where nspname = 'lockstep'`)).toEqual([])
    expect((await ok('migrate', ...at)).out).toMatch(/^Applied 0001_base, /)
    expect((await ok('migrate', ...at, '--dry-run')).out).toBe('-- nothing to apply\n')
    expect((await ok('migrate', ...at, '--status', '--json')).json.pending).toBe(0)
  })
})

/** As a node leaves it that was killed with an instance in hand, and that has had many more transactions than the target. */
async function leaveLikeKilled(target: string): Promise<void> {
  const [{ xid }] = (await query(target, 'select pg_current_xact_id()::text as xid')) as [{ xid: string }]
  await using db = await openPglite({ dataDir: data, ...edge })
  const here = Number((await db.one(transactionNumber)).xid)
  await db.transaction((tx) => tx.script(burnNumbers(Math.max(1, Number(xid) - here) + 3_000)), {
    statementTimeoutMs: 0,
  })
  const dead = '01900000-0000-7000-8000-0000000000dd'
  await db.run(
    statement('test_add_dead_node', () => [dead], `insert into node (id, name, version) values ($1, 'dead', '0')`),
  )
  const claimed = await db.run(statement('test_claim_for_dead', () => [dead], 'update agenda set claimed_by = $1'))
  expect(claimed).toBeGreaterThan(0)
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
