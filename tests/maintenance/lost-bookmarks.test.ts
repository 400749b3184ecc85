import { type EngineStore, workflow } from '@lockstep/engine'
import { postgresEngineStore } from '@lockstep/postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../engine/open-test-engine.ts'
import { query } from './aged-engine.ts'

let effects: string[] = []
let slowEnds: () => void = () => {}
const asks = workflow('asks', async (ctx) => {
  const answer = await ctx.waitFor('approved')
  await ctx.step('note', async ({ idempotencyKey }) => void effects.push(idempotencyKey))
  return answer
})
const asksTwice = workflow('asks-twice', async (ctx) =>
  ctx.all([ctx.waitFor('left', { timeout: '1d' }), ctx.waitFor('right')]),
)
const worksBeside = workflow('works-beside', async (ctx) =>
  ctx.all([
    ctx.waitFor('go'),
    ctx.step('slow', async ({ idempotencyKey }) => {
      effects.push(idempotencyKey)
      await new Promise<void>((resolve) => {
        slowEnds = resolve
      })
      return 'done'
    }),
  ]),
)

const race = {
  id: 'race',
  activities: [
    {
      id: 'first',
      type: 'parallel',
      inputs: { join: 'any' },
      branches: [
        { activities: [{ id: 'quick', type: 'delay', inputs: { duration: '50ms' } }] },
        { activities: [{ id: 'never', type: 'wait-for-event', inputs: { event: 'never' } }] },
      ],
    },
    { id: 'ask', type: 'human-task', inputs: { title: 'Approve?', outcomes: ['approve'] } },
    { id: 'hear', type: 'wait-for-event', inputs: { event: 'heard' } },
  ],
  connections: [
    { from: 'first', to: 'ask' },
    { from: 'first', to: 'hear' },
  ],
}

let test: TestEngine
let store: EngineStore
beforeAll(async () => {
  test = await openTestEngine({ workflows: [asks, asksTwice, worksBeside] })
  store = postgresEngineStore(test.db)
  await test.publish(race as never)
})
afterAll(() => test?.[Symbol.asyncDispose]())
afterEach(async () => {
  effects = []
  expect(await test.engine.doctor()).toMatchObject({ healthy: true })
})

interface BookmarkRow {
  readonly id: string
  readonly step: string
}

const bookmarks = (id: string, step = '%') =>
  query(
    test.db,
    `select id::text, step from bookmark where instance_id = '${id}' and step like '${step}' order by step`,
  ) as Promise<BookmarkRow[]>

async function waits(definitionId: string, count: number): Promise<string> {
  const { instanceId } = await test.engine.start({ definitionId })
  await expect.poll(async () => (await bookmarks(instanceId)).length, { timeout: 30_000 }).toBe(count)
  return instanceId
}

/** Somebody deletes the row by hand. Answers what it was. */
async function lose(instanceId: string, step = '%'): Promise<BookmarkRow> {
  const [row] = await bookmarks(instanceId, step)
  await test.db.script(`delete from bookmark where id = '${row!.id}'`)
  return row!
}

/** Found, mended, and there again under the id that it had. */
async function mended(code: string, instanceId: string, lost: BookmarkRow): Promise<void> {
  const finding = { code, count: 1, safeToRepair: true, examples: [{ key: instanceId, instanceId }] }
  expect((await test.engine.doctor()).findings).toMatchObject([{ ...finding, repaired: 0 }])
  expect(await bookmarks(instanceId, lost.step)).toEqual([])
  expect((await test.engine.doctor({ repair: true })).findings).toMatchObject([{ ...finding, repaired: 1 }])
  await expect.poll(() => bookmarks(instanceId, lost.step), { timeout: 30_000 }).toEqual([lost])
}

const ended = (instanceId: string) => test.engine.waitForEnd(instanceId, { limitMs: 60_000 })

describe('a bookmark that is gone', () => {
  it('comes back from the journal, and is consumed once', async () => {
    const id = await waits('asks', 1)
    await test.rests(id, 'suspended')
    const lost = await lose(id)
    await mended('STRANDED', id, lost)
    expect(await test.engine.resume({ instanceId: id, bookmark: lost.id, payload: 'yes' })).toBe('resumed')
    expect(await ended(id)).toMatchObject({ status: 'completed', output: 'yes' })
    expect(await test.engine.resume({ instanceId: id, bookmark: lost.id, payload: 'no' })).toBe('already-resumed')
    expect(effects).toHaveLength(1)
    const journal = await test.engine.journal(id)
    expect(
      journal.filter(({ data }) => (data as { step?: string }).step === '@event:approved').map(({ kind }) => kind),
    ).toEqual(['waiting', 'completed'])
  })

  it('comes back beside others that are there, and hears what was published meanwhile', async () => {
    const id = await waits('asks-twice', 2)
    await test.rests(id, 'suspended')
    const lost = await lose(id, '@event:left')
    expect(await test.engine.publish({ name: 'left', payload: 'from before' })).toMatchObject({ matched: 0 })
    expect((await test.engine.doctor({ repair: true })).findings).toMatchObject([
      { code: 'BOOKMARK_LOST', repaired: 1 },
    ])
    const journal = () => test.engine.journal(id)
    await expect
      .poll(async () =>
        (await journal()).some(({ kind, data }) => kind === 'completed' && (data as BookmarkRow).step === lost.step),
      )
      .toBe(true)
    expect(await test.engine.resume({ instanceId: id, bookmark: 'right', payload: 2 })).toBe('resumed')
    expect(await ended(id)).toMatchObject({ status: 'completed', output: ['from before', 2] })
  })

  it('comes back to a graph, for people and for events; what went with its branch does not', async () => {
    const id = await waits('race', 2)
    await test.rests(id, 'suspended')
    expect(await test.engine.doctor()).toMatchObject({ healthy: true })
    await mended('BOOKMARK_LOST', id, await lose(id, 'ask'))
    await mended('BOOKMARK_LOST', id, await lose(id, 'hear'))
    expect((await bookmarks(id)).map(({ step }) => step)).toEqual(['ask', 'hear'])
    const [task] = await test.engine.humanTasks.list({ status: 'open', instanceId: id }, 10)
    await test.engine.humanTasks.complete({ id: task!.id, outcome: 'approve' })
    expect(await test.engine.publish({ name: 'heard' })).toMatchObject({ matched: 1 })
    expect(await ended(id)).toMatchObject({ status: 'completed' })
  })

  it('comes back to one that is paused, which stays so', async () => {
    const id = await waits('asks', 1)
    await test.engine.verbs.pause(id)
    await test.rests(id, 'paused')
    await mended('BOOKMARK_LOST', id, await lose(id))
    await test.rests(id, 'paused')
    await test.engine.verbs.continue(id)
    await test.rests(id, 'suspended')
    expect(await test.engine.resume({ instanceId: id, payload: 'yes' })).toBe('resumed')
    expect(await ended(id)).toMatchObject({ status: 'completed', output: 'yes' })
  })

  it('comes back where an instance waits since it was migrated, under another id', async () => {
    const version = (step: string) => ({
      id: 'renamed',
      activities: [{ id: step, type: 'wait-for-event', inputs: { event: 'told' } }],
    })
    await test.publish(version('before') as never)
    const id = await waits('renamed', 1)
    await test.engine.definitions.saveDraft('default', 'renamed', version('after') as never, 1)
    await test.engine.definitions.publish('default', 'renamed')
    const mapping = { before: 'after' }
    expect(await test.engine.verbs.migrate(id, { version: 2, mapping })).toEqual({ outcome: 'accepted' })
    await expect.poll(async () => (await bookmarks(id))[0]?.step).toBe('after')
    await test.rests(id, 'suspended')
    const lost = await lose(id)
    expect((await test.engine.doctor({ repair: true })).findings).toMatchObject([{ code: 'STRANDED', repaired: 1 }])
    await expect.poll(async () => (await bookmarks(id))[0]?.step).toBe('after')
    expect(await bookmarks(id)).not.toEqual([lost])
    expect(await test.engine.publish({ name: 'told' })).toMatchObject({ matched: 1 })
    expect(await ended(id)).toMatchObject({ status: 'completed' })
  })

  it('is put back by the owner of an instance that runs, when what runs has ended', async () => {
    const id = await waits('works-beside', 1)
    await expect.poll(() => effects.length).toBe(1)
    const lost = await lose(id, '@event:go')
    expect((await test.engine.doctor({ repair: true })).findings).toMatchObject([
      { code: 'BOOKMARK_LOST', repaired: 1 },
    ])
    expect(await bookmarks(id)).toEqual([])
    slowEnds()
    await expect.poll(() => bookmarks(id), { timeout: 30_000 }).toEqual([lost])
    expect(await test.engine.resume({ instanceId: id, bookmark: 'go', payload: 1 })).toBe('resumed')
    expect(await ended(id)).toMatchObject({ status: 'completed', output: [1, 'done'] })
    expect(effects).toHaveLength(1)
  })
})

it('leaves alone what is there, whoever resumes it meanwhile and wherever it runs', async () => {
  const other = await test.beside({ workflows: [asks, asksTwice, worksBeside] })
  try {
    const ids = await Promise.all(Array.from({ length: 40 }, () => waits('asks', 1)))
    const rows = ids.map((key) => ({ tenant: 'default', key }))
    const repair = () => store.maintenance.repair(test.engine.nodeId, 'BOOKMARK_LOST', rows)
    const resumed = ids.map(async (instanceId, index) => {
      const nodes = index % 2 === 0 ? [test, other] : [other, test]
      const outcomes = await Promise.all(nodes.map(({ engine }) => engine.resume({ instanceId, bookmark: 'approved' })))
      expect(outcomes.filter((each) => each === 'resumed')).toHaveLength(1)
    })
    await Promise.all([repair(), repair(), ...resumed, repair()])
    for (const id of ids) expect(await ended(id)).toMatchObject({ status: 'completed' })
    expect([effects.length, new Set(effects).size]).toEqual([ids.length, ids.length])
    expect(await query(test.db, 'select id from bookmark')).toEqual([])
  } finally {
    await other[Symbol.asyncDispose]()
  }
})
