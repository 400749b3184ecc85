import { type ClientOptions, lockstepClient, ServerProblem, ServerUnreachable } from '@lockstep/api'
import { systemClock } from '@lockstep/base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApi, type TestApi } from '../../packages/server/test/open-test-api.ts'

const echo = (id: string) => ({
  id,
  activities: [{ id: 'out', type: 'set-output', inputs: { name: 'said', value: { $expr: 'input.say' } } }],
})
const asks = { id: 'asks', activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'answered' } }] }

let api: TestApi
let url: string
beforeAll(async () => {
  api = await openTestApi()
  url = await api.app.listen({ host: '127.0.0.1', port: 0 })
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    await connect().saveAndPublishWorkflowDefinition({ id: `echo-${name}`, body: echo(`echo-${name}`) })
  await connect().saveAndPublishWorkflowDefinition({ id: 'asks', body: asks })
})
afterAll(() => api.close())

const connect = (options: Partial<ClientOptions> = {}) => lockstepClient({ url, ...options })
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'was answered',
    (error: unknown) => (ServerProblem.is(error) ? error.details.problem.code : error),
  )

describe('the client', () => {
  it('starts an instance, waits for its end and has its types', async () => {
    const { status, body } = await connect().startWorkflowInstance({
      body: { definitionId: 'echo-a', input: { say: 'hello' }, wait: '30s' },
    })
    expect([status, body.status, body.output]).toEqual([200, 'completed', { said: 'hello' }])
    const read = await connect().getWorkflowInstance({ id: body.id })
    expect(read.body.definitionId).toBe('echo-a')
  })

  it('goes through all pages of a list, and no further than it is asked to', async () => {
    const asked: string[] = []
    const client = connect({ onExchange: (line) => asked.push(line) })
    const ids: string[] = []
    for await (const { id } of client.items('listWorkflowDefinitions', { query: { limit: 2 } })) ids.push(id)
    expect(ids.filter((id) => id.startsWith('echo-'))).toEqual(['echo-a', 'echo-b', 'echo-c', 'echo-d', 'echo-e'])
    expect(asked).toHaveLength(3)
    for await (const _ of client.items('listWorkflowDefinitions', { query: { limit: 2 } })) break
    expect(asked).toHaveLength(4)
  })

  it('filters by members of the input', async () => {
    const client = connect()
    await client.startWorkflowInstance({ body: { definitionId: 'echo-b', input: { say: 'one' }, wait: '30s' } })
    await client.startWorkflowInstance({ body: { definitionId: 'echo-b', input: { say: 'two' }, wait: '30s' } })
    const { body } = await client.listWorkflowInstances(
      { query: { definition: 'echo-b' } },
      { also: { 'input.say': 'two' } },
    )
    expect(body.items.map(({ input }) => input)).toEqual([{ say: 'two' }])
  })

  it('saves only what nobody changed meanwhile', async () => {
    const client = connect()
    const { etag } = await client.getWorkflowDraft({ id: 'echo-c' })
    const saved = await client.saveWorkflowDraft({
      id: 'echo-c',
      ifMatch: etag!,
      body: { ...echo('echo-c'), name: 'C' },
    })
    expect(saved.etag).not.toBe(etag)
    expect(await refusal(client.saveWorkflowDraft({ id: 'echo-c', ifMatch: etag!, body: echo('echo-c') }))).toBe(
      'DRAFT_CHANGED',
    )
  })

  it('does a thing once with one key', async () => {
    const client = connect()
    const body = { definitionId: 'asks' }
    const first = await client.startWorkflowInstance({ body }, { idempotencyKey: 'order-7' })
    const again = await client.startWorkflowInstance({ body }, { idempotencyKey: 'order-7' })
    expect([again.body.id, again.headers.get('idempotent-replayed')]).toEqual([first.body.id, 'true'])
  })

  it('brings documents as text, and gives them back as text', async () => {
    const client = connect()
    const { body: text } = await client.exportWorkflowDefinition({ id: 'asks', query: { format: 'json' } })
    expect(JSON.parse(text)).toMatchObject({ id: 'asks' })
    const { body: told } = await client.importWorkflowDefinitions({ body: text, query: { dryRun: true } })
    expect(told.documents).toMatchObject([{ id: 'asks', outcome: 'unchanged' }])
  })

  it('tells a refusal by its code, and a server that is none', async () => {
    const unknown = 'wfi_01900000-0000-7000-8000-000000000000'
    expect(await refusal(connect().getWorkflowInstance({ id: unknown }))).toBe('INSTANCE_NOT_FOUND')
    const nobody = await connect({ url: 'http://127.0.0.1:1' })
      .listNodes()
      .catch((error: unknown) => error)
    expect(ServerUnreachable.is(nobody)).toBe(true)
  })

  it('ends what is under way when it is told to', async () => {
    const client = connect()
    const { body } = await client.startWorkflowInstance({ body: { definitionId: 'asks' } })
    const stop = new AbortController()
    const waiting = client.getWorkflowInstance({ id: body.id, query: { wait: '60s' } }, { signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })
})

describe('a client that is refused for a moment', () => {
  const problem = (status: number, code: string) =>
    new Response(JSON.stringify({ status, code, detail: 'Later' }), {
      status,
      headers: { 'content-type': 'application/problem+json', 'retry-after': '0' },
    })
  /** Refuses so often, then lets through. */
  const refusing = (times: number, status: number, code: string) => {
    let sent = 0
    return {
      sent: () => sent,
      fetch: (async (...given: Parameters<typeof fetch>) => {
        sent += 1
        return sent <= times ? problem(status, code) : fetch(...given)
      }) as typeof fetch,
    }
  }

  it('comes again until it is let in', async () => {
    const door = refusing(3, 503, 'OVERLOADED')
    const { body } = await connect(door).startWorkflowInstance({ body: { definitionId: 'echo-d', input: { say: 1 } } })
    expect([body.definitionId, door.sent()]).toEqual(['echo-d', 4])
  })

  it('gives up after as many times as it was told', async () => {
    const door = refusing(9, 429, 'TOO_MANY_REQUESTS')
    expect(await refusal(connect({ ...door, retries: 2 }).listNodes())).toBe('TOO_MANY_REQUESTS')
    expect(door.sent()).toBe(3)
  })

  it('does not repeat what may have been done, unless it has a key', async () => {
    const start = { body: { definitionId: 'echo-d', input: { say: 1 } } }
    const unclear = refusing(1, 503, 'DATABASE_UNAVAILABLE')
    expect(await refusal(connect(unclear).startWorkflowInstance(start))).toBe('DATABASE_UNAVAILABLE')
    expect(unclear.sent()).toBe(1)
    const keyed = refusing(1, 503, 'DATABASE_UNAVAILABLE')
    await connect(keyed).startWorkflowInstance(start, { idempotencyKey: 'order-8' })
    expect(keyed.sent()).toBe(2)
  })
})

describe('the stream', () => {
  it('goes on behind the last event when the connection breaks, leaving nothing out and telling nothing twice', async () => {
    const { body } = await connect().startWorkflowInstance({ body: { definitionId: 'asks' } })
    let opened = 0
    const breaking: typeof fetch = async (...given) => {
      const response = await fetch(...given)
      if (!String(given[0]).includes('/streams/')) return response
      opened += 1
      return opened > 2 ? response : cutAfter(response, 2)
    }
    const stop = new AbortController()
    const client = connect({ fetch: breaking, clock: impatient })
    const facts: unknown[] = []
    const following = (async () => {
      for await (const { event, data } of client.follow({ instance: body.id, after: '1', signal: stop.signal })) {
        if (event === 'instances') facts.push(data.seq)
        if (data.type === 'ended') stop.abort()
      }
    })()
    // Not before: all of it could come in one piece, and there would be nothing to break.
    await expect.poll(() => opened).toBeGreaterThan(1)
    await connect().publishEvent({ body: { name: 'answered' } })
    await following
    const { body: journal } = await connect().readWorkflowJournal({ id: body.id })
    expect(facts).toEqual(journal.items.map(({ seq }) => seq))
  })

  it('ends by itself when it is only to tell what has happened', async () => {
    const told: string[] = []
    for await (const { event } of connect().follow({ topic: 'definitions', after: '1', follow: false }))
      told.push(event)
    expect(told.filter((each) => each === 'definitions').length).toBeGreaterThan(5)
  })

  it('ends with the refusal when it is refused', async () => {
    const first = connect().follow({ topic: 'weather' }).next()
    expect(await refusal(first)).toBe('INVALID_REQUEST')
  })
})

/** Comes again at once, though the server asks for two seconds. */
const impatient = {
  ...systemClock,
  schedule: (...[ms, ...rest]: Parameters<typeof systemClock.schedule>) =>
    systemClock.schedule(ms === 2_000 ? 10 : ms, ...rest),
}

/** Hangs up after so many events. */
function cutAfter(response: Response, events: number): Response {
  const reader = response.body!.getReader()
  let left = events
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { value, done } = await reader.read()
      if (done) return controller.close()
      controller.enqueue(value)
      left -= new TextDecoder().decode(value).split('\ndata:').length - 1
      if (left > 0) return
      await reader.cancel()
      controller.error(new Error('the line broke'))
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}
