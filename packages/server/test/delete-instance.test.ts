import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approval, sums } from './documents.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

let api: TestApi
const lines: string[] = []
let archiving: 'takes' | 'fails' = 'takes'
beforeAll(async () => {
  api = await openTestApi({
    engine: {
      scheduler: 'off',
      retention: {
        archive: async (read) => {
          if (archiving === 'fails') throw new Error('the disk is full')
          for await (const line of read) lines.push(line)
        },
      },
    },
  })
  for (const document of [approval('approval'), sums('sums'), running('running')])
    expect((await api.call('PUT', `/workflow-definitions/${document.id}`, { body: document })).status).toBe(201)
})
afterAll(async () => {
  expect(api.failures).toEqual([])
  await api.close()
})

const I = '/workflow-instances'
const running = (id: string) => ({
  id,
  activities: [
    { id: 'child', type: 'run-workflow', inputs: { definitionId: 'sums', input: { items: [] }, wait: true } },
    { id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } },
  ],
  connections: [{ from: 'child', to: 'ask' }],
})
const start = async (definitionId: string, input: unknown = { items: [] }): Promise<string> =>
  (await api.call('POST', I, { body: { definitionId, input } })).body.id
const rests = (id: string, status: string) =>
  expect.poll(async () => (await api.call('GET', `${I}/${id}`)).body.status).toBe(status)
const completed = async (): Promise<string> => {
  const id = await start('sums')
  await rests(id, 'completed')
  return id
}
const remove = (id: string, query = '') => api.call('DELETE', `${I}/${id}${query}`)
const gone = (id: string) => expect.poll(async () => (await api.call('GET', `${I}/${id}`)).status).toBe(404)

describe('deleting an instance', () => {
  it('takes its journal and all that belongs to it, hands it to the archive first, and is audited', async () => {
    const id = await completed()
    const facts = (await api.call('GET', `${I}/${id}/journal`)).body.count.value
    expect((await remove(id, '?dryRun=true')).body).toEqual({ id, facts, incidents: 0 })
    expect([lines.length, (await api.call('GET', `${I}/${id}`)).status]).toEqual([0, 200])
    expect((await remove(id)).status).toBe(204)
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(['instance', ...Array(facts).fill('fact'), 'end'])
    await gone(id)
    for (const part of ['journal', 'timeline', 'state'])
      expect((await api.call('GET', `${I}/${id}/${part}`)).body.code).toBe('INSTANCE_NOT_FOUND')
    expect((await remove(id)).body.code).toBe('INSTANCE_NOT_FOUND')
    const { items } = (await api.call('GET', `/audit-log?target=${id}`)).body
    expect(items.map((each: { operation: string }) => each.operation)).toContain('deleteWorkflowInstance')
  })

  it('is refused of what has not ended, and of a child whose parent has not', async () => {
    const waiting = await start('approval')
    await rests(waiting, 'suspended')
    const { status, body } = await remove(waiting)
    expect([status, body.code, body.instanceStatus]).toEqual([409, 'INSTANCE_NOT_ENDED', 'suspended'])
    expect(body.detail).toMatch(/only what has ended can be deleted. Cancel or terminate it first/)
    const parent = await start('running')
    await rests(parent, 'suspended')
    const [child] = (await api.call('GET', `${I}?parent=${parent}`)).body.items
    await rests(child.id, 'completed')
    const refused = (await remove(child.id)).body
    expect([refused.code, refused.parentId]).toEqual(['PARENT_NOT_ENDED', parent])
  })

  it('is refused of what is held, by whatever hold, with its reason', async () => {
    const id = await completed()
    for (const [scope, text] of [
      [{ instanceId: id }, 'this instance'],
      [{ definitionId: 'sums' }, 'the workflow sums'],
      [{}, 'everything'],
    ] as const) {
      expect((await api.call('PUT', '/retention/holds', { body: { ...scope, reason: 'a trial' } })).status).toBe(204)
      for (const query of ['', '?dryRun=true']) {
        const { status, body } = await remove(id, query)
        expect([status, body.code, body.hold, body.reason]).toEqual([409, 'INSTANCE_HELD', text, 'a trial'])
      }
      const query = new URLSearchParams(scope as Record<string, string>).toString()
      expect((await api.call('DELETE', `/retention/holds?${query}`)).status).toBe(204)
    }
    expect((await remove(id)).status).toBe(204)
  })

  it('waits for the schedule that started it to be told of its end, for a day and no longer', async () => {
    const id = await completed()
    await api.db.script(
      `insert into schedule_end values ('${id.replace('wfi_', '')}', 'default', 'nightly', 'completed', clock_timestamp())`,
    )
    const { status, body } = await remove(id)
    expect([status, body.code, body.retryable]).toEqual([409, 'INSTANCE_UNSETTLED', true])
    await api.db.script(`update schedule_end set at = at - interval '2 days'`)
    expect((await remove(id)).status).toBe(204)
  })

  it('is not done where the archive fails', async () => {
    const id = await completed()
    archiving = 'fails'
    const { status, body } = await remove(id)
    archiving = 'takes'
    expect([status, body.code, body.retryable]).toEqual([503, 'ARCHIVE_FAILED', true])
    expect((await api.call('GET', `${I}/${id}`)).status).toBe(200)
    expect((await remove(id)).status).toBe(204)
  })

  it('cannot be held as two things: both are named', async () => {
    const both = { definitionId: 'approval', instanceId: await completed() }
    const put = await api.call('PUT', '/retention/holds', { body: { ...both, reason: 'a trial' } })
    expect([put.status, put.body.errors.map((each: { field: string }) => each.field)]).toEqual([
      400,
      ['/definitionId', '/instanceId'],
    ])
    const query = new URLSearchParams(both).toString()
    const { body } = await api.call('DELETE', `/retention/holds?${query}`)
    expect(body.errors.map((each: { field: string }) => each.field)).toEqual(['definitionId', 'instanceId'])
  })

  it('goes for many, what is held or lives left as it is', async () => {
    const [one, two, held] = [await completed(), await completed(), await completed()]
    const lives = await start('approval')
    await rests(lives, 'suspended')
    await api.call('PUT', '/retention/holds', { body: { instanceId: held, reason: 'a trial' } })
    const target = { ids: [one, two, held, lives] }
    const preview = (await api.call('POST', '/batch-operations', { body: { action: 'delete', target, dryRun: true } }))
      .body
    expect([preview.count, preview.skipped.reasons]).toEqual([2, { held: 1, suspended: 1 }])
    const { body } = await api.call('POST', '/batch-operations', { body: { action: 'delete', target } })
    expect(body.target.filter.status).toBe('completed,faulted,cancelled,terminated')
    await expect.poll(async () => (await api.call('GET', `/batch-operations/${body.id}`)).body.state).toBe('done')
    const { outcomes } = (await api.call('GET', `/batch-operations/${body.id}`)).body
    expect(outcomes).toEqual({ deleted: 2, held: 1 })
    const { items } = (await api.call('GET', `/batch-operations/${body.id}/items?outcome=held`)).body
    expect(items).toEqual([{ instanceId: held, outcome: 'held', detail: 'a trial' }])
    for (const id of [one, two]) await gone(id)
    for (const id of [held, lives]) expect((await api.call('GET', `${I}/${id}`)).status).toBe(200)
    const refused = await api.call('POST', '/batch-operations', {
      body: { action: 'delete', target: { filter: { status: 'running' } } },
    })
    expect([refused.status, refused.body.errors[0].text]).toEqual([400, expect.stringMatching(/has ended/)])
  })
})
