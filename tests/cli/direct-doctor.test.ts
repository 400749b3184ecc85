import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { cloneDatabase } from '@lockstep/testing/harness'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { runIn } from './open-cli.ts'

let folder: string
let database: Awaited<ReturnType<typeof cloneDatabase>>
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lockstep-doctor-'))
  database = await cloneDatabase(inject('postgres'))
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

const doctor = (...more: string[]) => runIn(folder, {}, ['doctor', '--database-url', database.url, ...more])
const query = async (text: string): Promise<unknown[]> => {
  const client = new pg.Client(database.url)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

describe('the doctor without a node', () => {
  it('finds what is broken, mends it under a node of its own, and leaves nothing behind', async () => {
    const well = await doctor()
    expect([well.code, well.err, well.out]).toEqual([0, '', expect.stringMatching(/^Healthy/)])
    await query(`insert into lockstep.instance (id, tenant, definition_id, version, queue, created_at, status)
                 values ('01900000-0000-7000-8000-000000000001', 'default', 'order', 1, 'default', now(), 'suspended')`)
    await query(`insert into lockstep.journal (instance_id, seq, claim_no, pos, at, node_id, tenant, kind, data)
                 values ('01900000-0000-7000-8000-000000000001', 1, 1, 1, now(), '01900000-0000-7000-8000-000000000002', 'default', 'started', '{"input":null}')`)
    const sick = await doctor()
    expect([sick.code, sick.out]).toEqual([1, expect.stringMatching(/STRANDED +1 \(safe to repair\)/)])
    const mended = await doctor('--repair', '--json')
    expect([mended.code, mended.json.findings]).toMatchObject([0, [{ code: 'STRANDED', count: 1, repaired: 1 }]])
    expect((await doctor()).code).toBe(0)
    expect(await query('select name from lockstep.node')).toEqual([])
  })

  it('says what keeps it from looking', async () => {
    const gone = await runIn(folder, {}, ['doctor', '--database-url', 'postgres://nobody@127.0.0.1:1/x'])
    expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('[DATABASE_UNREACHABLE]')])
    const empty = await runIn(folder, {}, ['doctor', '--data-dir', path.join(folder, 'nothing')])
    expect([empty.code, empty.err]).toEqual([1, expect.stringContaining('[DATA_FOLDER_UNREADABLE]')])
    expect(existsSync(path.join(folder, 'nothing'))).toBe(false)
  })
})
