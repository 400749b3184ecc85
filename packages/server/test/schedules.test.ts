import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approval, sums } from './documents.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await openTestApi()
  await api.call('PUT', '/workflow-definitions/approval', { body: approval('approval') })
})
afterAll(async () => {
  expect(api.failures).toEqual([])
  await api.close()
})

const schedule = (id: string, more: object = {}) => ({
  id,
  trigger: { interval: '1h' },
  definitionId: 'approval',
  ...more,
})

describe('a schedule', () => {
  it('is replaced only by who read it last', async () => {
    const { headers } = await api.call('POST', '/schedules', { body: schedule('edited') })
    const save = (name: string, etag: string) =>
      api.call('PUT', '/schedules/edited', { body: schedule('edited', { name }), headers: { 'if-match': etag } })
    const mine = await save('Mine', headers.etag!)
    expect([mine.status, mine.body.name]).toEqual([200, 'Mine'])
    const late = await save('Late', headers.etag!)
    expect([late.status, late.body.code, late.body.current.etag]).toEqual([412, 'SCHEDULE_CHANGED', mine.headers.etag])
    expect((await api.call('GET', '/schedules/edited')).body.name).toBe('Mine')
    const gone = await api.call('DELETE', '/schedules/edited', { headers: { 'if-match': headers.etag! } })
    expect(gone.status).toBe(412)
  })

  it('is not replaced by an ETag of the one that was deleted before it', async () => {
    await api.call('POST', '/schedules', { body: schedule('aba') })
    const etag = (await api.call('GET', '/schedules/aba')).headers.etag!
    await api.call('DELETE', '/schedules/aba')
    await api.call('POST', '/schedules', { body: schedule('aba', { name: 'Theirs' }) })
    const late = await api.call('PUT', '/schedules/aba', { body: schedule('aba'), headers: { 'if-match': etag } })
    expect([late.status, late.body.code]).toEqual([412, 'SCHEDULE_CHANGED'])
    expect((await api.call('GET', '/schedules/aba')).body.name).toBe('Theirs')
  })

  it('gives its workflow no input that does not fit: saved, triggered or filled in', async () => {
    const input = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }
    await api.call('PUT', '/workflow-definitions/typed', { body: { ...approval('typed'), input } })
    const typed = (id: string, more: object) => schedule(id, { definitionId: 'typed', paused: true, ...more })
    const refused = { status: 422, body: { code: 'INPUT_INVALID', problems: [{ pointer: '/a' }] } }
    const bad = typed('typed', { input: { a: 'nope' } })
    expect(await api.call('POST', '/schedules', { body: bad })).toMatchObject(refused)
    const made = await api.call('POST', '/schedules', { body: typed('typed', { input: { a: 1 } }) })
    expect(made.status).toBe(201)
    const headers = { 'if-match': made.headers.etag! }
    expect(await api.call('PUT', '/schedules/typed', { body: bad, headers })).toMatchObject(refused)
    const trigger = (given: unknown) => api.call('POST', '/schedules/typed/trigger', { body: { input: given } })
    expect(await trigger({ a: 'x' })).toMatchObject(refused)
    await api.call('POST', '/schedules', { body: typed('typed-bare', {}) })
    const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T05:00:00Z' }
    const filled = await api.call('POST', '/schedules/typed-bare/backfill', { body: range })
    expect([filled.status, filled.body.code]).toEqual([422, 'INPUT_INVALID'])
    expect((await api.call('GET', '/schedules/typed-bare/runs')).body.items).toEqual([])
    expect((await trigger({ a: 2 })).status).toBe(202)
  })

  it('is created by PUT where nothing stands, and only there', async () => {
    const put = () =>
      api.call('PUT', '/schedules/fresh', { body: schedule('fresh'), headers: { 'if-none-match': '*' } })
    expect((await put()).status).toBe(201)
    const again = await put()
    expect([again.status, again.body.code]).toEqual([409, 'SCHEDULE_EXISTS'])
  })

  it('says every problem with its place', async () => {
    const bad = schedule('bad', { trigger: { cron: '61 * * * *', zone: 'Mars/Olympus' }, overlap: 'sometimes' })
    const { status, body } = await api.call('POST', '/schedules', { body: bad })
    expect([status, body.code]).toEqual([422, 'SCHEDULE_INVALID'])
    expect(body.problems.map((each: { pointer: string }) => each.pointer)).toContain('/overlap')
  })

  it('of a workflow is changed with the workflow, but may be paused', async () => {
    const daily = { id: 'daily', type: 'cron', inputs: { cron: '0 3 * * *' } }
    const document = { ...approval('timed'), activities: [daily, ...approval('timed').activities] }
    const connections = [{ from: 'daily', to: 'ask' }, ...document.connections]
    await api.call('PUT', '/workflow-definitions/timed', { body: { ...document, connections } })
    await api.call('POST', '/schedules/run-due') // applies what was published
    const [{ id, etag, owner }] = (await api.call('GET', '/schedules?definition=timed')).body.items
    expect(owner).toBe('definition:timed')
    const place = `/schedules/${encodeURIComponent(id)}`
    expect((await api.call('POST', `${place}/pause`)).body.paused).toBe(true)
    const body = { trigger: { interval: '1h' }, definitionId: 'approval' }
    const refused = await api.call('PUT', place, { body: { ...body, id }, headers: { 'if-match': '*' } })
    expect([refused.status, refused.body.code]).toEqual([409, 'SCHEDULE_OWNED'])
    const kept = await api.call('DELETE', place)
    expect([kept.status, kept.body.code]).toEqual([409, 'SCHEDULE_OWNED'])
    expect((await api.call('GET', place)).status).toBe(200)
    expect(etag).toMatch(/^"\d+"$/)
  })

  it('lists and runs are read forwards and back', async () => {
    for (const n of [1, 2, 3, 4, 5])
      await api.call('POST', '/schedules', { body: schedule(`many-${n}`, { paused: true }) })
    const first = (await api.call('GET', '/schedules?paused=true&definition=approval&limit=2')).body
    const second = (
      await api.call('GET', `/schedules?paused=true&definition=approval&limit=2&cursor=${first.page.next}`)
    ).body
    const back = (
      await api.call('GET', `/schedules?paused=true&definition=approval&limit=2&cursor=${second.page.prev}`)
    ).body
    expect(second.items.map((each: { id: string }) => each.id)).toEqual(['many-3', 'many-4'])
    expect([back.items, back.page.prev]).toEqual([first.items, null])
    expect([first.count, second.count, back.count]).toEqual(Array(3).fill({ value: 5, exact: true }))
    const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T05:00:00Z', overlap: 'allow' }
    await api.call('POST', '/schedules/many-1/backfill', { body: range })
    const runs = (await api.call('GET', '/schedules/many-1/runs?limit=3')).body
    const rest = (await api.call('GET', `/schedules/many-1/runs?limit=3&cursor=${runs.page.next}`)).body
    expect([runs.items.length, rest.items.length, rest.page.next]).toEqual([3, 2, null])
    expect([runs.count, rest.count]).toEqual(Array(2).fill({ value: 5, exact: true }))
    expect((await api.call('GET', `/schedules/many-1/runs?limit=3&cursor=${rest.page.prev}`)).body.items).toEqual(
      runs.items,
    )
  })

  it('are found by what their id or name contains, each with its latest run', async () => {
    await api.call('POST', '/schedules', { body: schedule('sought-1', { paused: true, name: 'Nightly books' }) })
    await api.call('POST', '/schedules', { body: schedule('sought-2', { paused: true }) })
    const found = async (q: string) => (await api.call('GET', `/schedules?q=${encodeURIComponent(q)}`)).body.items
    expect((await found('SOUGHT')).map(({ id }: { id: string }) => id)).toEqual(['sought-1', 'sought-2'])
    expect((await found('y bo')).map(({ id }: { id: string }) => id)).toEqual(['sought-1'])
    expect(await found('%')).toEqual([])
    const [never] = await found('sought-2')
    expect([never.lastRun, never.lately]).toEqual([null, { runs: 0, late: 0, skipped: 0 }])
    const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T03:00:00Z', overlap: 'allow' }
    await api.call('POST', '/schedules/sought-1/backfill', { body: range })
    const [latest] = (await api.call('GET', '/schedules/sought-1/runs?limit=1')).body.items
    const [ran] = await found('sought-1')
    expect([ran.lastRun.id, ran.lastRun.origin, ran.lately.runs]).toEqual([latest.id, 'backfill', 3])
  })
})

describe('a journal', () => {
  it('is read from both ends, in both orders', async () => {
    await api.call('PUT', '/workflow-definitions/sums', { body: sums('sums') })
    const input = { items: [1, 2, 3, 4] }
    const { id, revision } = (
      await api.call('POST', '/workflow-instances', { body: { definitionId: 'sums', input, wait: '30s' } })
    ).body
    const read = async (query: string) => (await api.call('GET', `/workflow-instances/${id}/journal?${query}`)).body
    const seqs = (page: { items: { seq: number }[] }) => page.items.map((each) => each.seq)
    const all = Array.from({ length: revision }, (_, n) => n + 1)
    const head = await read('limit=3')
    expect([seqs(head), head.page]).toEqual([all.slice(0, 3), { next: '3', prev: null, limit: 3 }])
    const middle = await read(`limit=2&after=${head.page.next}`)
    expect([seqs(middle), middle.page]).toEqual([[4, 5], { next: '5', prev: '4', limit: 2 }])
    expect(seqs(await read(`limit=3&before=${middle.page.prev}`))).toEqual([1, 2, 3])
    const tail = await read('limit=3&order=desc')
    expect([seqs(tail), tail.page.prev, tail.count]).toEqual([
      all.slice(-3).reverse(),
      null,
      { value: revision, exact: true },
    ])
    const older = await read(`limit=2&order=desc&before=${tail.page.next}`)
    expect(seqs(older)).toEqual(all.slice(-5, -3).reverse())
    expect(seqs(await read(`limit=3&order=desc&after=${older.page.prev}`))).toEqual(all.slice(-3).reverse())
    expect(seqs(await read('before=1'))).toEqual([])
    expect(seqs(await read(`after=${revision}`))).toEqual([])
  })

  it('tells what the instance was after each of its facts', async () => {
    const input = { items: [5, 7] }
    const { id, revision } = (
      await api.call('POST', '/workflow-instances', { body: { definitionId: 'sums', input, wait: '30s' } })
    ).body
    const at = async (seq: number) => (await api.call('GET', `/workflow-instances/${id}/state?at=${seq}`)).body
    const totals: number[] = []
    for (let seq = 1; seq <= revision; seq++) totals.push((await at(seq)).variables.total)
    expect([totals[0], totals.at(-1), totals.includes(5)]).toEqual([0, 12, true])
    expect(await at(1)).toMatchObject({ status: 'running', steps: [{ activity: 'loop', phase: 'active' }], version: 1 })
    expect(await at(99_999)).toMatchObject({ seq: revision, status: 'completed', output: { sum: 12 }, steps: [] })
  })
})
