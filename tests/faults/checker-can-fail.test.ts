/**
 * The same faults without the guards. If the checker found nothing here it could not find anything anywhere: each test edits the
 * text of the commit function in its own database, proves that the edit took, and expects violations.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endOf, start } from './instance-view.ts'
import { shortLife, TestBed, type TestSite } from './test-bed.ts'
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
const noClaim = [/and a\.claimed_by = p_node(?: and a\.claim_no = c\.claim)?/g, ''] as const
const noChain = [
  /\(select j\.seq from journal j where j\.instance_id = c\.id and j\.seq = c\.prev\) is not null/g,
  'true',
] as const
/** Without these two a second writer is stopped by the key of the journal; a doubled fact then needs a number of its own. */
const ownNumbers = [
  /select c_id\[f\.item\], f\.seq,/,
  'select c_id[f.item], greatest(f.seq, 1 + (select max(j.seq) from journal j where j.instance_id = c_id[f.item])),',
] as const

/**
 * A node sleeps past its burial inside a step, another one takes its instance, records that step and stands inside the next; the
 * first wakes and writes what it did. Its heart beats so seldom that it learns of its death from its commit.
 */
async function wakeAfterBurial(
  site: TestSite,
): Promise<{ readonly wrote: boolean; readonly said: string | undefined }> {
  const a = await site.node({ name: 'a', engine: { heartbeatMs: 120_000, ttlMs: 600_000 } })
  const id = await start(a, 'two-gates', {})
  await a.atGate('first')
  const b = await site.node({ name: 'b', engine: shortLife })
  a.signal('SIGSTOP')
  await b.atGate('second')
  const opened = a.call('openGate', { name: 'first' })
  a.signal('SIGCONT')
  await opened
  const byZombie = `select 1 from journal where node_id = '${a.incarnations[0]}' and seq > 1`
  const refusals = (): string[] =>
    ['this node was buried, dropping what it holds', 'instance lost to another node'].filter(
      (text) => a.logged(text).length > 0,
    )
  await until('it has written or was refused', async () => {
    return refusals().length > 0 || (await site.rows(byZombie)).length > 0
  })
  await b.call('openGate', { name: 'second' })
  await endOf(b, id, 3_000)
  return { wrote: (await site.rows(byZombie)).length > 0, said: refusals()[0] }
}

it('P4: with all guards the buried node is refused and the checker finds nothing', async () => {
  await using site = await bed.site()
  await replaceCommit(site, [[/-- The fence:/, '-- The same fence:']])
  expect(await wakeAfterBurial(site)).toEqual({ wrote: false, said: 'this node was buried, dropping what it holds' })
  expect(await site.violations()).toEqual([])
})

it('P4: without fence, claim and chain checks the checker sees the step that two nodes recorded', async () => {
  await using site = await bed.site()
  await replaceCommit(site, [noFence, noClaim, noChain, ownNumbers])
  expect(await wakeAfterBurial(site)).toMatchObject({ wrote: true })
  const rules = (await site.violations()).map((each) => each.rule)
  expect(rules).toContain('a step ends once')
})

it('P4: without the fence alone the claim check still refuses the buried node', async () => {
  await using site = await bed.site()
  await replaceCommit(site, [noFence])
  expect(await wakeAfterBurial(site)).toEqual({ wrote: false, said: 'instance lost to another node' })
  expect(await site.violations()).toEqual([])
})

/** A resume of which the owner hears nothing before it puts its time-out to the store. */
async function resumeBeforeTimeout(site: TestSite): Promise<unknown> {
  const node = await site.node()
  let id = ''
  await until('a resume came before its time-out', async () => {
    id = await start(node, 'waiter', { turns: 1, timeoutMs: 3_500 })
    const asked = (): Promise<unknown[]> => site.rows('select 1 from journal where instance_id = $1 and seq > 1', id)
    await until('it waits', async () => (await asked()).length > 0)
    const [said] = await site.rows<{ verdict: string }>(
      `select verdict from lockstep_resume('default', $1, 'go', '"resumed"')`,
      id,
    )
    return said?.verdict === 'resumed'
  })
  return (await endOf(node, id))?.output
}

it('P3: with the comparison of stimuli a resume that came first wins over the time-out', async () => {
  await using site = await bed.site()
  expect(await resumeBeforeTimeout(site)).toEqual({ got: ['resumed'] })
  expect(await site.violations()).toEqual([])
})

it('P3: without it the resume is lost, and the comparison of answers with results sees it', async () => {
  await using site = await bed.site()
  await replaceCommit(site, [[/\(c\.mode = 0 or a\.stim = c\.stim\)/, '(true)']])
  expect(await resumeBeforeTimeout(site)).not.toEqual({ got: ['resumed'] })
})
