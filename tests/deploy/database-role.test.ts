import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { cloneDatabase, locatorFor, runPsql } from '@lockstep/testing/harness'
import { resolveNodeOptions, startNode, workflow } from 'lockstep'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { codeBlocks } from '../docs/code-blocks.ts'
import { until } from '../faults/until.ts'

const exec = promisify(execFile)
const file = (name: string): string => fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url))
const passwords = { owner: randomBytes(16).toString('hex'), node: randomBytes(16).toString('hex') }

let database: Awaited<ReturnType<typeof cloneDatabase>>
const as = (role: 'owner' | 'node'): string => {
  const url = new URL(database.url)
  url.username = `lockstep_${role}`
  url.password = passwords[role]
  return url.href
}
/** The lines of the page, with what it leaves to the reader. */
const pageLines = codeBlocks('docs/how-to/docker.md').at(-1)!.code.trim().split('\n')
const runPageLine = (line: string) =>
  exec('sh', ['-ec', line], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: {
      PATH: `${path.dirname(locatorFor(process.env.PATH)('psql') ?? '')}:${path.dirname(process.execPath)}:${process.env.PATH}`,
      ...{ ADMIN_URL: database.url, OWNER: passwords.owner, NODE: passwords.node, OWNER_URL: as('owner') },
    },
  })
const script = `\\set owner_password '${passwords.owner}'
\\set node_password '${passwords.node}'
${readFileSync(file('database/roles.sql'), 'utf8')}`

beforeAll(async () => {
  const { adminUrl } = inject('postgres')
  const taken = await runPsql(
    adminUrl,
    'looking for the roles',
    `select rolname from pg_roles where rolname in ('lockstep_owner', 'lockstep_node');`,
  )
  // They would get other passwords, and be dropped in the end.
  if (taken.length > 0) throw new Error(`this server has ${taken.join(' and ')} already: test on another one`)
  database = await cloneDatabase(adminUrl, 'template1')
})
afterAll(async () => {
  if (database === undefined) return
  await database.drop()
  await runPsql(inject('postgres').adminUrl, 'dropping the roles', 'drop role lockstep_owner; drop role lockstep_node;')
})

const migrated = async (): Promise<readonly string[]> => {
  const { stdout } = await runPageLine(pageLines[1]!)
  return (JSON.parse(stdout) as { applied: string[] }).applied
}

describe('the roles of deploy/database/roles.sql', () => {
  it('are made as the page says, and again, and the owner migrates once', async () => {
    expect(pageLines.map((line) => /psql|migrate\.mjs|LOCKSTEP_MIGRATE=check lockstep server/.exec(line)?.[0])).toEqual(
      ['psql', 'migrate.mjs', 'LOCKSTEP_MIGRATE=check lockstep server'],
    )
    await runPageLine(pageLines[0]!)
    await runPsql(database.url, 'making the roles again', script)
    expect((await migrated()).length).toBeGreaterThan(15)
    expect(await migrated()).toEqual([])
    await runPsql(database.url, 'making the roles again, on a schema that is there', script)
  })

  it('let a node run that only reads and writes rows', async () => {
    const options = resolveNodeOptions({ port: 0, databaseUrl: as('node'), migrate: 'check' })
    const workflows = [
      workflow('errand', async (ctx) => {
        const held = await ctx.lock('stock/1', () => ctx.step('count', async () => 7))
        await ctx.sleep('20ms')
        await ctx.waitFor('go')
        return held
      }),
    ]
    const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
    const node = await startNode(options, edge, { workflows, activities: [], jobs: [] })
    try {
      const call = async (path: string, body: object) => {
        const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
        const answer = await fetch(`${node.url}/api/v1${path}`, sent)
        return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
      }
      const { body } = await call('/workflow-instances', { definitionId: 'errand' })
      const resume = () => call(`/workflow-instances/${body.id}/resume`, { bookmark: 'go' })
      await until('it was resumed', async () => (await resume()).status === 200, 60_000)
      const ended = await fetch(`${node.url}/api/v1/workflow-instances/${body.id}?wait=60s`)
      expect(await ended.json()).toMatchObject({ status: 'completed', output: 7 })
      expect((await fetch(`${node.url}/health/ready`)).status).toBe(200)
      expect((await call('/schedules/run-due', {})).status).toBeLessThan(300)
    } finally {
      await node.stop()
    }
  })

  it.each([
    'create table lockstep.mine (n int)',
    'create temporary table mine (n int)',
    'create table public.mine (n int)',
    'create schema mine',
    'alter table lockstep.instance add column mine int',
    'drop table lockstep.journal',
    'truncate lockstep.journal',
    'create role somebody',
    'create or replace function lockstep.mine() returns int language sql as $$ select 1 $$',
  ])('keep a node from: %s', async (statement) => {
    await expect(runPsql(as('node'), 'trying', `${statement};`)).rejects.toThrow(/permission denied|must be owner/)
  })

  it('leave nothing to other roles of the server', async () => {
    const { adminUrl } = inject('postgres')
    const password = randomBytes(16).toString('hex')
    await runPsql(adminUrl, 'making a stranger', `create role lockstep_stranger login password '${password}';`)
    try {
      const stranger = new URL(database.url)
      stranger.username = 'lockstep_stranger'
      stranger.password = password
      await expect(runPsql(stranger.href, 'trying', 'select 1;')).rejects.toThrow(/permission denied for database/)
      const rights = await runPsql(
        database.url,
        'asking for rights',
        `select r || ' ' || has_database_privilege(r, current_database(), 'connect')
                || has_database_privilege(r, current_database(), 'temporary')
                || has_database_privilege(r, current_database(), 'create')
                || has_schema_privilege(r, 'public', 'create')
                || has_schema_privilege(r, 'lockstep', 'usage')
                || has_schema_privilege(r, 'lockstep', 'create')
           from unnest(array['lockstep_stranger', 'lockstep_node', 'lockstep_owner']) r;`,
      )
      expect(rights).toEqual([
        'lockstep_stranger falsefalsefalsefalsefalsefalse',
        'lockstep_node truefalsefalsefalsetruefalse',
        'lockstep_owner truefalsefalsefalsetruetrue',
      ])
    } finally {
      await runPsql(adminUrl, 'dropping the stranger', 'drop role lockstep_stranger;')
    }
  })

  it('refuse a node on a schema that the owner has not brought up to date', async () => {
    await using other = await cloneDatabase(inject('postgres').adminUrl, 'template1')
    await runPsql(other.url, 'making the roles', script)
    const url = new URL(as('node'))
    url.pathname = new URL(other.url).pathname
    const options = resolveNodeOptions({ port: 0, databaseUrl: url.href, migrate: 'check' })
    const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
    await expect(startNode(options, edge)).rejects.toMatchObject({ code: 'SCHEMA_OUTDATED' })
  })
})
