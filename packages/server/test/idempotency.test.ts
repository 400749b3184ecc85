import { deferred } from '@lockstep/base'
import { workflow } from '@lockstep/engine'
import { statement } from '@lockstep/postgres'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { approval } from './documents.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

const gate = deferred<string>()
let api: TestApi
beforeAll(async () => {
  api = await openTestApi({ workflows: [workflow('gated', async (ctx) => ctx.step('pass', () => gate.promise))] })
  await api.call('PUT', '/workflow-definitions/approval', { body: approval('approval') })
})
afterAll(() => api.close())

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
const start = (key: string, body: object = { definitionId: 'approval' }) =>
  api.call('POST', '/workflow-instances', { body, ...keyed(key) })
const count = statement<undefined, { keys: number }>(
  'test_keys',
  () => [],
  'select count(*)::integer as keys from request_answer',
)

describe('Idempotency-Key', () => {
  it('gives the first answer again, with its headers, and says so', async () => {
    const body = { name: 'told', payload: 1 }
    const first = await api.call('POST', '/events', { body, ...keyed('e1') })
    const second = await api.call('POST', '/events', { body: { payload: 1, name: 'told' }, ...keyed('e1') })
    expect([second.status, second.body]).toEqual([first.status, first.body])
    expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true'])
    const one = await api.call('POST', '/workflow-definitions', { body: approval('kept'), ...keyed('d1') })
    const two = await api.call('POST', '/workflow-definitions', { body: approval('kept'), ...keyed('d1') })
    expect([two.status, two.headers.etag, two.headers.location]).toEqual([201, one.headers.etag, one.headers.location])
  })

  it('refuses another request under the same key, in its body, path or query', async () => {
    await start('k1')
    for (const other of [
      await start('k1', { definitionId: 'approval', correlationId: 'x' }),
      await start('k1', { definitionId: 'gated' }),
    ])
      expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
    const ids = [(await start('a')).body.id, (await start('b')).body.id]
    expect((await api.call('POST', `/workflow-instances/${ids[0]}/cancel`, keyed('c1'))).status).toBe(202)
    expect((await api.call('POST', `/workflow-instances/${ids[1]}/cancel`, keyed('c1'))).status).toBe(422)
  })

  it('is one per operation', async () => {
    const started = await start('shared')
    const told = await api.call('POST', '/events', { body: { name: 'x' }, ...keyed('shared') })
    expect([started.status, told.status]).toEqual([201, 202])
  })

  it('lets exactly one of many run', async () => {
    const starts = vi.spyOn(api.engine, 'start')
    const answers = await Promise.all(Array.from({ length: 10 }, () => start('race')))
    expect(starts).toHaveBeenCalledTimes(1)
    starts.mockRestore()
    const done = answers.filter((each) => each.status === 201)
    expect(done.length).toBeGreaterThan(0)
    expect(new Set(done.map((each) => each.body.id)).size).toBe(1)
    for (const each of answers.filter((each) => each.status !== 201))
      expect([each.status, each.body.code, each.headers['retry-after']]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS', '1'])
    expect((await start('race')).body.id).toBe(done[0]!.body.id)
  })

  it('says that the first is still being answered, and then gives its answer', async () => {
    const before = (await api.db.one(count)).keys
    const waiting = start('slow', { definitionId: 'gated', wait: '30s' })
    // Whichever is written first is the one that is answered.
    await expect.poll(async () => (await api.db.one(count)).keys).toBe(before + 1)
    await expect
      .poll(async () => (await start('slow', { definitionId: 'gated', wait: '30s' })).body.code)
      .toBe('IDEMPOTENCY_IN_PROGRESS')
    gate.resolve('through')
    const first = await waiting
    expect(first.body.output).toBe('through')
    expect((await start('slow', { definitionId: 'gated', wait: '30s' })).body).toEqual(first.body)
  })

  it('keeps nothing of what was refused', async () => {
    const before = (await api.db.one(count)).keys
    expect((await start('bad', { definitionId: 'nobody' })).status).toBe(404)
    expect((await start('bad', { definitionId: 'approval', nonsense: 1 })).status).toBe(400)
    expect((await api.db.one(count)).keys).toBe(before)
    expect((await start('bad')).status).toBe(201)
  })

  it('is known for a day, and free again when its node died', async () => {
    const first = await start('old')
    await api.db.script(
      `update request_answer set expires_at = clock_timestamp() - interval '1 second' where key = 'old'`,
    )
    const again = await api.call('POST', '/workflow-instances', { body: { definitionId: 'gated' }, ...keyed('old') })
    expect([again.status, again.body.id === first.body.id]).toEqual([201, false])
    await api.db.script(
      `update request_answer set expires_at = clock_timestamp() - interval '1 second' where key = 'old'`,
    )
    const same = await start('old')
    expect([same.status, same.body.id === first.body.id]).toEqual([201, false])

    const died = {
      tenant: 'default',
      operation: 'publishEvent',
      key: 'dead',
      fingerprint: 'x',
      token: crypto.randomUUID(),
    }
    expect(await api.ports.idempotency.begin(died, 60_000, 60_000)).toMatchObject({ kind: 'begun' })
    const next = { ...died, token: crypto.randomUUID() }
    expect(await api.ports.idempotency.begin(next, 60_000, 60_000)).toMatchObject({ kind: 'in-progress' })
    await api.db.script(
      `update request_answer set held_until = clock_timestamp() - interval '1 second' where key = 'dead'`,
    )
    expect(await api.ports.idempotency.begin({ ...next, fingerprint: 'y' }, 1_000, 1_000)).toEqual({
      kind: 'other-request',
    })
    expect(await api.ports.idempotency.begin(next, 60_000, 60_000)).toMatchObject({ kind: 'begun' })
    expect(await api.ports.idempotency.finish(died, { status: 200, answer: '"late"' })).toBe(false)
    expect(await api.ports.idempotency.finish(next, { status: 200, answer: '"ok"' })).toBe(true)
    expect(await api.ports.idempotency.begin(died, 1_000, 1_000)).toEqual({
      kind: 'answered',
      answer: { status: 200, answer: '"ok"' },
    })
    await api.ports.idempotency.abandon(died)
    expect((await api.ports.idempotency.begin(died, 1_000, 1_000)).kind).toBe('answered')
  })

  it('starts once within its day although a node died before the answer was kept, or could not say what came of it', async () => {
    const lost = vi.spyOn(api.ports.idempotency, 'finish').mockRejectedValue(new Error('gone'))
    const first = await start('died')
    lost.mockRestore()
    await api.db.script(`update request_answer set held_until = clock_timestamp() where key = 'died'`)
    expect((await start('died')).body.id).toBe(first.body.id)

    const starts = vi.spyOn(api.engine, 'start')
    let made: string | undefined
    starts.mockImplementationOnce(async (request) => {
      starts.mockRestore()
      made = (await api.engine.start(request)).instanceId
      throw new Error('the connection broke')
    })
    expect((await start('unclear')).status).toBe(500)
    expect((await start('unclear', { definitionId: 'gated' })).body.code).toBe('IDEMPOTENCY_KEY_REUSED')
    expect((await start('unclear')).body.id).toBe(`wfi_${made}`)
  })

  it('answers the caller even when the answer cannot be kept', async () => {
    const lost = vi.spyOn(api.ports.idempotency, 'finish').mockRejectedValue(new Error('gone'))
    const { status } = await api.call('POST', '/events', { body: { name: 'y' }, ...keyed('lost') })
    lost.mockRestore()
    expect(status).toBe(202)
    expect((await api.call('POST', '/events', { body: { name: 'y' }, ...keyed('lost') })).body.code).toBe(
      'IDEMPOTENCY_IN_PROGRESS',
    )
  })
})
