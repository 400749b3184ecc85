import { workflow } from '@lockstep/engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApi, type TestApi } from './open-test-api.ts'

let api: TestApi
let isBroken = false
const undone: string[] = []

beforeAll(async () => {
  const booking = workflow('booking', async (ctx) => {
    await ctx.step('book', () => 'room', {
      compensate: () => {
        if (isBroken) throw new Error('the hotel does not answer')
        undone.push(ctx.instanceId)
      },
    })
    await ctx.waitFor('arrival')
  })
  api = await openTestApi({ workflows: [booking] })
})
afterAll(async () => {
  expect(api.failures).toEqual([])
  await api.close()
})

async function booked(): Promise<string> {
  const { body } = await api.call('POST', '/workflow-instances', { body: { definitionId: 'booking' } })
  const waits = async () => (await api.call('GET', `/workflow-instances/${body.id}`)).body.waitingFor.length
  await expect.poll(waits).toBe(1)
  return body.id
}
const ended = async (id: string) => (await api.call('GET', `/workflow-instances/${id}?wait=30s`)).body
const compensations = async (id: string) => (await api.call('GET', `/workflow-instances/${id}/compensations`)).body

describe('what an instance did', () => {
  it('is undone by a cancel, and said to be', async () => {
    const id = await booked()
    expect(await compensations(id)).toEqual({ items: [{ step: 'book', state: 'to-undo' }] })
    await api.call('POST', `/workflow-instances/${id}/cancel`)
    expect(await ended(id)).toMatchObject({ status: 'cancelled' })
    expect(await compensations(id)).toEqual({ items: [{ step: 'book', state: 'undone' }] })
    expect(undone.map((each) => `wfi_${each}`)).toContain(id)
  })

  it('is kept by a cancel that says so, alone and in a batch', async () => {
    const [alone, among] = [await booked(), await booked()]
    await api.call('POST', `/workflow-instances/${alone}/cancel`, { body: { compensate: false } })
    const batch = { action: 'cancel', target: { ids: [among] }, options: { compensate: false } }
    expect((await api.call('POST', '/batch-operations', { body: batch })).status).toBe(202)
    for (const id of [alone, among]) {
      expect(await ended(id)).toMatchObject({ status: 'cancelled' })
      expect(await compensations(id)).toEqual({ items: [{ step: 'book', state: 'to-undo' }] })
      expect(undone.map((each) => `wfi_${each}`)).not.toContain(id)
    }
    const wrong = await api.call('POST', '/batch-operations', { body: { ...batch, options: { compensate: 'no' } } })
    expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([400, expect.stringContaining('compensate')])
  })

  it('is told where it could not be undone', async () => {
    const id = await booked()
    isBroken = true
    await api.call('POST', `/workflow-instances/${id}/cancel`)
    expect(await ended(id)).toMatchObject({ status: 'faulted', error: { code: 'COMPENSATION_FAILED' } })
    isBroken = false
    expect(await compensations(id)).toEqual({ items: [{ step: 'book', state: 'failed' }] })
    const why = (await api.call('GET', `/workflow-instances/${id}/why`)).body
    expect(why.blockers).toMatchObject([{ kind: 'compensation-failed' }])
    expect(why.text).toContain('Step "book" could not be undone: 0 of 1 steps are')
  })

  it('is nothing of an instance that there is none of', async () => {
    const none = await api.call('GET', '/workflow-instances/wfi_01900000-0000-7000-8000-000000000000/compensations')
    expect([none.status, none.body.code]).toEqual([404, 'INSTANCE_NOT_FOUND'])
  })
})
