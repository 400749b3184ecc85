/**
 * The same faults without the guards. If the checker found nothing here it could not find anything anywhere: each test edits the
 * text of the commit function in its own database, proves that the edit took, and expects violations.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endOf, start } from './instance-view.ts'
import { TestBed, type TestSite } from './test-bed.ts'
import { until } from './until.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.open()
})
afterAll(() => bed?.stop())

const migration = readFileSync(
  fileURLToPath(new URL('../../packages/postgres/migrations/0003_commit.sql', import.meta.url)),
  'utf8',
)

/** The commit function as the migration has it, to be edited. */
function commitFunction(): string {
  const begin = migration.indexOf('create function lockstep_commit')
  const end = migration.indexOf('end $$;', begin)
  expect(begin).toBeGreaterThanOrEqual(0)
  expect(end).toBeGreaterThan(begin)
  return migration.slice(begin, end + 'end $$;'.length)
}

/** Puts the edited function in place of the real one. Every edit must change something. */
async function replaceCommit(site: TestSite, edits: readonly (readonly [RegExp, string])[]): Promise<void> {
  let text = commitFunction().replace('create function', 'create or replace function')
  for (const [pattern, replacement] of edits) {
    const edited = text.replace(pattern, replacement)
    expect(edited, `${pattern} must match`).not.toBe(text)
    text = edited
  }
  const source = async (): Promise<string> =>
    (await site.rows<{ prosrc: string }>(`select prosrc from pg_proc where proname = 'lockstep_commit'`))[0]!.prosrc
  const before = await source()
  await site.db.script(`set search_path = lockstep; ${text}`)
  expect(await source()).not.toBe(before)
}

const noFence = [/if not found then\s+raise exception 'node % was buried'[^;]*;\s+end if;/, ''] as const
const noClaim = [/and a\.claimed_by = p_node and a\.claim_no = c\.claim/g, ''] as const
const noChain = [
  /and \(select j\.seq from journal j where j\.instance_id = c\.id and j\.seq = c\.prev\) is not null/g,
  '',
] as const
/** Without these two a second writer is stopped by the key of the journal; a doubled fact then needs a number of its own. */
const ownNumbers = [
  /select c_id\[f\.item\], f\.seq,/,
  'select c_id[f.item], greatest(f.seq, 1 + (select max(j.seq) from journal j where j.instance_id = c_id[f.item])),',
] as const

/** A node sleeps past its burial inside a step, the other one finishes its instance, it wakes and goes on. */
async function wakeAfterBurial(site: TestSite): Promise<void> {
  const a = await site.node({ name: 'a' })
  const id = await start(a, 'gated', { at: 'a', gate: 'g' })
  await a.atGate('g')
  const b = await site.node({ name: 'b' })
  a.signal('SIGSTOP')
  expect(await endOf(b, id)).toMatchObject({ status: 'completed' })
  void a.call('openGate', { name: 'g' })
  a.signal('SIGCONT')
  await until('it has joined again', () => a.logged('rejoined as a new node').length > 0)
}

it('P4: with all guards the checker finds nothing', async () => {
  await using site = await bed.site()
  await replaceCommit(site, [[/-- The fence:/, '-- The same fence:']])
  await wakeAfterBurial(site)
  expect(await site.violations()).toEqual([])
})

it('P4: without fence, claim and chain checks the checker sees the writes of a buried node', async () => {
  await using site = await bed.site()
  await replaceCommit(site, [noFence, noClaim, noChain, ownNumbers])
  await wakeAfterBurial(site)
  const rules = (await site.violations()).map((each) => each.rule)
  expect(rules).not.toEqual([])
})

it('P4: without fence and claim checks a node that was buried writes into an instance that another one runs', async () => {
  await using site = await bed.site()
  await replaceCommit(site, [noFence, noClaim])
  const a = await site.node({ name: 'a', engine: { heartbeatMs: 5_000, ttlMs: 10_000 } })
  const id = await start(a, 'gated', { at: 'a', gate: 'g' })
  await a.atGate('g')
  // Buried, and claimed by another that has not come to write yet.
  await site.db.script(`
    delete from node where id = '${a.incarnations[0]}';
    update agenda set claim_no = claim_no + 1, due_at = now() + interval '1 hour' where instance_id = '${id}'`)
  await a.call('openGate', { name: 'g' })
  await until(
    'it has written',
    async () => (await site.rows('select 1 from journal where instance_id = $1', id)).length > 2,
  )
  expect(await site.rows('select 1 from journal where instance_id = $1 and claim_no = 1 and seq > 2', id)).not.toEqual(
    [],
  )
})

it('P1: without the comparison of stimuli the checker sees a stranded resume', async () => {
  await using site = await bed.site()
  await replaceCommit(site, [[/ and a\.stim = c\.stim/g, '']])
  const node = await site.node()
  // A slow insert between the decision and the end of the commit lets the resume in between.
  const ids = await Promise.all(Array.from({ length: 60 }, () => start(node, 'waiter', { turns: 1, timeoutMs: 2_600 })))
  const resumes = ids.map(async (instanceId) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 200))
    return node.call<string>('resume', { instanceId, bookmark: 'go', payload: 'resumed' })
  })
  const said = await Promise.all(resumes)
  const lost: string[] = []
  for (const [n, id] of ids.entries()) {
    const end = await endOf(node, id, 6_000)
    if (said[n] === 'resumed' && JSON.stringify(end?.output) !== '{"got":["resumed"]}') lost.push(id)
  }
  const found = await site.violations()
  expect(lost.length + found.length).toBeGreaterThan(0)
})
