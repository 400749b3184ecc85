import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock as clock, silentLogger as logger, systemRandom as random } from '@lockstep/base'
import { type Db, openPostgres } from '@lockstep/postgres'
import { cloneDatabase } from '@lockstep/testing/harness'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { nodeProgram } from '../setup/bundle-nodes.ts'
import { query } from './aged-engine.ts'

const COUNT = 200
const FACTS = 5

interface Told {
  readonly batches?: number
  readonly report?: { readonly ended: string; readonly instances: number }
}

let database: Awaited<ReturnType<typeof cloneDatabase>>
let db: Db
let folder: string
let file: string
const children: ChildProcess[] = []

beforeEach(async () => {
  database = await cloneDatabase(inject('postgres'))
  db = await openPostgres({ url: database.url, clock, random, logger })
  folder = mkdtempSync(join(tmpdir(), 'lockstep-archive-'))
  file = join(folder, 'archive.jsonl')
  writeFileSync(file, '')
  await db.script(`
    insert into instance (id, tenant, definition_id, version, queue, created_at, status, finished_at, last_seq)
    select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'default', 'order', 1, 'default', now(), 'completed', now(), ${FACTS} from generate_series(1, ${COUNT}) n;
    insert into journal (instance_id, seq, claim_no, pos, at, node_id, tenant, kind, data)
    select i.id, s, 1, 0, now(), i.id, 'default', 'completed', '{"step":"a"}' from instance i, generate_series(1, ${FACTS}) s`)
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await db.close()
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

function sweep(diesAfter = 0): {
  readonly child: ChildProcess
  readonly told: Told[]
  readonly ended: Promise<unknown>
} {
  const program = nodeProgram(new URL('./sweeping-process.mjs', import.meta.url))
  const child = fork(program, [database.url, file, String(diesAfter)], { execArgv: [] })
  children.push(child)
  const told: Told[] = []
  child.on('message', (message) => told.push(message as Told))
  return { child, told, ended: once(child, 'close') }
}

/** Instances that the archive has from the first line to the last, each time it has them. */
function archived(): Map<string, number> {
  const whole = new Map<string, number>()
  for (const text of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const line = JSON.parse(text) as { type: string; instanceId?: string; facts?: number }
    if (line.type === 'end' && line.facts === FACTS) whole.set(line.instanceId!, (whole.get(line.instanceId!) ?? 0) + 1)
  }
  return whole
}

async function expectWholeOrGone(): Promise<number> {
  const rows = await query<{ id: string; facts: number; there: boolean }>(
    db,
    `select coalesce(i.id, j.instance_id) as id, coalesce(j.facts, 0)::int as facts, i.id is not null as there
       from instance i full join (select instance_id, count(*) as facts from journal group by 1) j on j.instance_id = i.id`,
  )
  expect(rows.filter((row) => !row.there || row.facts !== FACTS)).toEqual([])
  const left = new Set(rows.map((row) => row.id))
  const gone = Array.from(
    { length: COUNT },
    (_, n) => `00000000-0000-7000-8000-${(n + 1).toString(16).padStart(12, '0')}`,
  ).filter((id) => !left.has(id))
  const inArchive = archived()
  expect(gone.filter((id) => !inArchive.has(id))).toEqual([])
  return gone.length
}

const expireTurn = () => db.script(`update maintenance_turn set expires_at = now()`)

it('a process killed between archive and deletion leaves every instance whole or gone, and what is gone is in the archive', async () => {
  const { ended } = sweep(4)
  await ended
  const gone = await expectWholeOrGone()
  expect(gone).toBeGreaterThan(0)
  expect(gone).toBeLessThan(COUNT)
  expect(archived().size).toBeGreaterThan(gone)
  expect(await query(db, 'select 1 from maintenance_turn where holder is not null')).toHaveLength(1)

  await expireTurn()
  const second = sweep()
  await second.ended
  expect(second.told.at(-1)?.report).toMatchObject({ ended: 'done', instances: COUNT - gone })
  expect(await expectWholeOrGone()).toBe(COUNT)
  expect(archived().size).toBe(COUNT)
})

it.each([1, 2, 3])('a process killed at any moment of its sweep does no harm (%i)', async (batches) => {
  const { child, told, ended } = sweep()
  while (!told.some((each) => (each.batches ?? 0) >= batches * 3)) await once(child, 'message')
  child.kill('SIGKILL')
  await ended
  expect(await expectWholeOrGone()).toBeGreaterThan(0)
  await expireTurn()
  const second = sweep()
  await second.ended
  expect(second.told.at(-1)?.report).toMatchObject({ ended: 'done' })
  expect(await expectWholeOrGone()).toBe(COUNT)
})

it('two processes that sweep at once delete everything once', async () => {
  const [one, two] = [sweep(), sweep()]
  await Promise.all([one.ended, two.ended])
  const reports = [one, two].map((each) => each.told.at(-1)?.report)
  expect(reports.reduce((sum, report) => sum + (report?.instances ?? 0), 0)).toBe(COUNT)
  expect([...archived().values()].every((times) => times === 1)).toBe(true)
})
