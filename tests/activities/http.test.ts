import { verifyWebhook } from '@lockstep/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../engine/open-test-engine.ts'
import { type HttpSink, openHttpSink } from './http-sink.ts'
import { oneStep, retried } from './one-step.ts'

const secrets = async (name: string) =>
  ({ 'billing-token': 'sec-ret-42', 'partner-key': 'sixteen bytes or more', short: 'short' })[name]

describe('http-request and webhook', () => {
  let sink: HttpSink
  let t: TestEngine
  beforeEach(async () => {
    sink = await openHttpSink()
    t = await openTestEngine({ outbound: { allow: ['127.0.0.1'] }, secrets })
  })
  afterEach(async () => {
    await t[Symbol.asyncDispose]()
    await sink[Symbol.asyncDispose]()
  })

  it('send a request and read its answer', async () => {
    sink.answer = () => ({ headers: { 'content-type': 'application/json', 'x-a': 'b' }, body: '{"paid":true}' })
    const inputs = {
      method: 'POST',
      url: { $expr: 'input.url' },
      headers: {
        Authorization: { secret: 'billing-token', prefix: 'Bearer ' },
        'X-Order': { $expr: '"o-" + input.n' },
      },
      query: { page: 2, tag: ['a', 'b'], none: null },
      body: { amount: { $expr: 'input.n * 2' } },
    }
    await t.publish(oneStep('call', 'http-request', inputs))
    const { status, output, instanceId } = await t.run('call', { url: `${sink.url}/pay?x=1`, n: 21 })
    expect(status).toBe('completed')
    expect(output).toMatchObject({
      output: { status: 200, body: { paid: true }, encoding: 'json', headers: { 'x-a': 'b' } },
    })
    expect(sink.received).toMatchObject([{ method: 'POST', url: '/pay?x=1&page=2&tag=a&tag=b', body: '{"amount":42}' }])
    expect(sink.received[0]!.headers).toMatchObject({
      ...{ authorization: 'Bearer sec-ret-42', 'x-order': 'o-21', 'content-type': 'application/json' },
      'idempotency-key': `${instanceId}:do`,
    })
    expect(JSON.stringify(await t.engine.journal(instanceId))).not.toContain('sec-ret-42')
  })

  it('repeat with the same key, and fail with the status for a catch to read', async () => {
    let count = 0
    sink.answer = ({ headers }) =>
      ++count < 3
        ? { status: 503, headers: { 'retry-after': '0' }, body: `later ${String(headers.authorization)}` }
        : { status: 404, body: 'sec-ret-42 is unknown' }
    const inputs = { url: `${sink.url}/a?token=x`, headers: { authorization: { secret: 'billing-token' } } }
    await t.publish(
      oneStep('call', 'http-request', inputs, {
        retry: { ...(retried(5).retry as object), nonRetryable: ['HTTP_REFUSED'] },
      }),
    )
    const { output, instanceId } = await t.run('call')
    expect(output).toEqual({
      error: expect.objectContaining({
        code: 'HTTP_REFUSED',
        data: { url: `${sink.url}/a`, status: 404, body: '[secret] is unknown' },
      }),
    })
    expect(new Set(sink.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    const journal = await t.engine.journal(instanceId)
    const waits = journal.filter(({ kind }) => kind === 'retrying').map(({ data }) => data)
    expect(waits).toMatchObject([
      { error: { code: 'HTTP_UNAVAILABLE', data: { status: 503, retryAfterMs: 0, body: 'later [secret]' } } },
      { error: { code: 'HTTP_UNAVAILABLE' } },
    ])
    expect(JSON.stringify(journal)).not.toContain('sec-ret-42')
  })

  it('leave through the family of the status when told to, and take other statuses as success', async () => {
    sink.answer = () => ({ status: 409, body: 'taken' })
    await t.publish({
      id: 'families',
      activities: [
        { id: 'call', type: 'http-request', inputs: { url: sink.url, unexpectedStatus: 'outcome' } },
        { id: 'out', type: 'set-output', inputs: { name: 'status', value: { $expr: 'steps.call.output.status' } } },
      ],
      connections: [{ from: 'call', outcome: '4xx', to: 'out' }],
    })
    expect(await t.run('families')).toMatchObject({ status: 'completed', output: { status: 409 } })
    await t.publish(oneStep('expected', 'http-request', { url: sink.url, expectedStatus: ['2xx', 409] }))
    expect(await t.run('expected')).toMatchObject({ output: { output: { status: 409, body: 'taken' } } })
  })

  it('do not reach private places that nobody allowed', async () => {
    await using strict = await openTestEngine()
    await strict.publish(oneStep('call', 'http-request', { url: { $expr: 'input' } }))
    for (const url of [sink.url, 'http://169.254.169.254/latest', 'http://[::ffff:127.0.0.1]/', 'http://localhost:1/'])
      expect(await strict.run('call', url)).toMatchObject({ output: { error: { code: 'OUTBOUND_BLOCKED' } } })
    expect(await strict.run('call', 'gopher://x')).toMatchObject({ output: { error: { code: 'OUTBOUND_BLOCKED' } } })
    expect(await strict.run('call', 'nonsense')).toMatchObject({ output: { error: { code: 'INVALID_INPUT' } } })
    expect(sink.received).toEqual([])
  })

  it('fail clearly when nobody answers, too much comes, or nonsense', async () => {
    await t.publish(oneStep('call', 'http-request', { url: { $expr: 'input.url' }, maxBytes: 10, timeout: '200ms' }))
    const failsWith = async (url: string, code: string) =>
      expect(await t.run('call', { url })).toMatchObject({ output: { error: { code } } })
    await failsWith('http://127.0.0.1:1/', 'HTTP_FAILED')
    sink.answer = () => ({ body: 'x'.repeat(11) })
    await failsWith(sink.url, 'HTTP_RESPONSE_TOO_LARGE')
    sink.answer = () => ({ headers: { 'content-type': 'application/json' }, body: '{no' })
    await failsWith(sink.url, 'HTTP_RESPONSE_UNREADABLE')
    sink.answer = () => ({ hang: true })
    await failsWith(sink.url, 'TIMED_OUT')
    await t.publish(oneStep('keyless', 'http-request', { url: sink.url, headers: { 'x-key': { secret: 'unknown' } } }))
    expect(await t.run('keyless')).toMatchObject({ output: { error: { code: 'SECRET_UNUSABLE' } } })
  })

  it('hang up when the workflow is cancelled', async () => {
    sink.answer = () => ({ hang: true })
    await t.publish(oneStep('call', 'http-request', { url: sink.url }))
    const { instanceId } = await t.engine.start({ definitionId: 'call' })
    await sink.until(1)
    await t.engine.cancel(instanceId)
    expect(await t.engine.waitForEnd(instanceId, { limitMs: 60_000 })).toMatchObject({ status: 'cancelled' })
  })

  it('sign a webhook so that its receiver can believe it', async () => {
    let count = 0
    sink.answer = () => ({ status: ++count === 1 ? 500 : 204 })
    const inputs = { url: sink.url, event: 'order.paid', payload: { $expr: 'input' }, secret: 'partner-key' }
    await t.publish(oneStep('hook', 'webhook', inputs, retried(3)))
    const { output } = await t.run('hook', { n: 1 })
    const [first, second] = sink.received
    expect(output).toEqual({ output: { status: 204, id: second!.headers['webhook-id'] } })
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
    expect(JSON.parse(second!.body)).toEqual({ type: 'order.paid', data: { n: 1 } })
    expect(verifyWebhook(second!, { secret: 'sixteen bytes or more' })).toMatchObject({ ok: true })
    expect(verifyWebhook({ ...second!, body: `${second!.body} ` }, { secret: 'sixteen bytes or more' })).toMatchObject({
      ok: false,
    })
    sink.answer = () => ({ status: 302, headers: { location: '/elsewhere' } })
    expect(await t.run('hook')).toMatchObject({ output: { error: { code: 'HTTP_REFUSED' } } })
    await t.publish(oneStep('guessable', 'webhook', { ...inputs, secret: 'short' }))
    expect(await t.run('guessable')).toMatchObject({ output: { error: { code: 'SECRET_UNUSABLE' } } })
  })
})
