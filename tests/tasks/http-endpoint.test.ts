import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApi, type TestApi } from '../../packages/server/test/open-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await openTestApi()
})
afterAll(async () => {
  expect(api.failures).toEqual([])
  await api.close()
})

const endpoint = (inputs: object, id = 'in') => ({ id, type: 'http-endpoint', inputs })
const answers = (inputs: object) => ({ id: 'reply', type: 'http-response', inputs })

async function publish(
  id: string,
  activities: readonly { readonly id: string }[],
  connections: readonly object[] = [],
) {
  const line = activities.slice(1).map((activity, n) => ({ from: activities[n]!.id, to: activity.id }))
  const document = { id, activities, connections: connections.length > 0 ? connections : line }
  return api.call('PUT', `/workflow-definitions/${id}`, { body: document })
}

const send = async (method: string, url: string, payload?: unknown, headers: Record<string, string> = {}) => {
  const raw = typeof payload === 'string' ? payload : payload === undefined ? undefined : JSON.stringify(payload)
  const type = raw === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await api.app.inject({
    method: method as 'GET',
    url,
    headers: { ...type, ...headers },
    ...(raw === undefined ? {} : { payload: raw }),
  })
  const body =
    answer.body === '' ? undefined : /json/.test(String(answer.headers['content-type'])) ? answer.json() : answer.body
  return { status: answer.statusCode, headers: answer.headers, body }
}
const instance = async (id: string) => (await api.call('GET', `/workflow-instances/${id}?wait=10s`)).body

describe('http-endpoint', () => {
  it('starts the workflow with the request as its input, and answers 202 with its id', async () => {
    await publish('orders', [
      endpoint({ path: '/shops/{shop}/orders', headers: ['X-Tag'] }),
      { id: 'out', type: 'set-output', inputs: { name: 'in', value: { $expr: 'input' } } } as never,
    ])
    const secret = { 'x-tag': 't', authorization: 'Bearer s3cret', cookie: 'a=b', 'user-agent': 'test' }
    const { status, body, headers } = await send(
      'POST',
      '/workflows/shops/K%C3%B6ln/orders?a=1&b=2&b=3',
      { n: 1 },
      secret,
    )
    expect(status).toBe(202)
    expect(body).toEqual({ instanceId: expect.stringMatching(/^wfi_/), status: 'started' })
    expect(headers.location).toBe(`/api/v1/workflow-instances/${body.instanceId}`)
    const { output, input } = await instance(body.instanceId)
    expect(output.in).toEqual({
      ...{ method: 'POST', path: '/shops/Köln/orders', parameters: { shop: 'Köln' }, body: { n: 1 } },
      query: { a: '1', b: ['2', '3'] },
      headers: { 'content-type': 'application/json', 'user-agent': 'test', 'x-tag': 't' },
    })
    expect(JSON.stringify(input)).not.toContain('s3cret')
  })

  it('waits for the answer of the workflow in mode sync, also after it has rested', async () => {
    await publish('echo', [
      endpoint({ path: '/echo/{word}', methods: ['GET', 'POST'], mode: 'sync' }),
      { id: 'nap', type: 'delay', inputs: { duration: '50ms' } } as never,
      answers({
        status: 201,
        body: { said: { $expr: 'input.parameters.word' }, sent: { $expr: 'input.body' } },
        headers: { 'x-word': { $expr: 'input.parameters.word' }, 'content-length': '999' },
      }),
      { id: 'later', type: 'wait-for-event', inputs: { event: 'never' } } as never,
    ])
    const { status, body, headers } = await send('POST', '/workflows/echo/hi', { x: 1 })
    expect([status, body, headers['x-word']]).toEqual([201, { said: 'hi', sent: { x: 1 } }, 'hi'])
    expect(headers['content-security-policy']).toBe('sandbox')
    expect((await send('GET', '/workflows/echo/there')).body).toEqual({ said: 'there', sent: null })
  })

  it('answers text as it is where the workflow names its type, and nothing where there is no body', async () => {
    await publish('page', [
      endpoint({ path: '/page', methods: ['GET'], mode: 'sync' }),
      answers({ body: '<b>hi</b>', headers: { 'Content-Type': 'text/html' } }),
    ])
    expect(await send('GET', '/workflows/page')).toMatchObject({ status: 200, body: '<b>hi</b>' })
    await publish('nothing', [endpoint({ path: '/nothing', mode: 'sync' }), answers({ status: 204 })])
    expect(await send('POST', '/workflows/nothing')).toMatchObject({ status: 204, body: undefined })
  })

  it('answers 202 when the workflow ends, faults or rests without an answer in time', async () => {
    await publish('mute', [endpoint({ path: '/mute', mode: 'sync' })])
    expect(await send('POST', '/workflows/mute')).toMatchObject({ status: 202, body: { status: 'completed' } })
    await publish('broken', [
      endpoint({ path: '/broken', mode: 'sync' }),
      { id: 'f', type: 'fault', inputs: { message: 'm' } } as never,
    ])
    expect(await send('POST', '/workflows/broken')).toMatchObject({ status: 202, body: { status: 'faulted' } })
    await publish('slow', [
      endpoint({ path: '/slow', mode: 'sync', timeout: '150ms' }),
      { id: 'w', type: 'wait-for-event', inputs: { event: 'never' } } as never,
      answers({}),
    ])
    expect(await send('POST', '/workflows/slow')).toMatchObject({
      status: 202,
      body: { instanceId: expect.any(String) },
    })
  })

  it('starts once for a repeated Idempotency-Key, and gives the same answer', async () => {
    await publish('once', [endpoint({ path: '/once', mode: 'sync' }), answers({ body: { $expr: 'input.body' } })])
    const key = { 'idempotency-key': 'k1' }
    const [first, second] = [
      await send('POST', '/workflows/once', 1, key),
      await send('POST', '/workflows/once', 1, key),
    ]
    expect([first.body, second.body, first.headers.location === second.headers.location]).toEqual([1, 1, true])
    expect([first, second].map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true'])
  })

  it('refuses an Idempotency-Key that came with another request, whose answer stays with who sent that', async () => {
    await publish('keyed', [
      endpoint({ path: '/keyed', mode: 'sync', methods: ['POST', 'PUT'] }),
      answers({ body: { $expr: 'input.body' } }),
    ])
    const key = { 'idempotency-key': 'k2' }
    expect((await send('POST', '/workflows/keyed', 'mine', { ...key, 'content-type': 'text/plain' })).body).toBe('mine')
    const others = [
      await send('POST', '/workflows/keyed', 2, key),
      await send('POST', '/workflows/keyed?x=1', 'mine', { ...key, 'content-type': 'text/plain' }),
      await send('PUT', '/workflows/keyed', 'mine', { ...key, 'content-type': 'text/plain' }),
    ]
    expect(others.map(({ status, body }) => [status, body.code])).toEqual(
      others.map(() => [422, 'IDEMPOTENCY_KEY_REUSED']),
    )
    expect(others.map(({ headers }) => headers.location)).toEqual(others.map(() => undefined))
  })

  it('starts nothing for pages of other sites, nor under a name that only leads here', async () => {
    await publish('local', [endpoint({ path: '/local', methods: ['GET', 'POST'] })])
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const refused = [
      await send('POST', '/workflows/local', 'a=1', { ...form, origin: 'https://evil.example' }),
      await send('POST', '/workflows/local', 'a=1', { ...form, origin: 'null' }),
      await send('POST', '/workflows/local', 'a=1', { ...form, 'sec-fetch-site': 'cross-site' }),
      await send('GET', '/workflows/local', undefined, { 'sec-fetch-site': 'cross-site' }),
      await send('POST', '/workflows/local', 'a=1', { ...form, host: 'rebound.example' }),
      await send('GET', '/resume/some-token', undefined, { host: 'rebound.example' }),
      await send('POST', '/resume/some-token', 'a=1', { ...form, origin: 'https://evil.example' }),
    ]
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      refused.map(() => [403, 'CROSS_SITE_REQUEST']),
    )
    expect((await api.call('GET', '/workflow-instances?definition=local')).body.items).toEqual([])
    const own = { ...form, origin: 'http://localhost', host: 'localhost', 'sec-fetch-site': 'same-origin' }
    expect((await send('POST', '/workflows/local', 'a=1', own)).status).toBe(202)
    expect((await send('GET', '/workflows/local', undefined, { 'sec-fetch-site': 'none' })).status).toBe(202)
  })

  const reserved = {
    ...{
      'Content-Security-Policy': 'default-src *',
      'set-cookie': 'lockstep-session=x',
      'x-content-type-options': 'none',
    },
    ...{ 'access-control-allow-origin': '*', 'strict-transport-security': 'max-age=0', 'Clear-Site-Data': '"cookies"' },
    ...{ 'x-frame-options': 'ALLOWALL', 'content-security-policy-report-only': 'x', 'service-worker-allowed': '/' },
  }

  it('keeps the headers that protect Studio out of reach of what a workflow answers', async () => {
    await publish('stored', [
      endpoint({ path: '/stored', mode: 'sync' }),
      answers({ body: '<script>1</script>', headers: { $expr: 'input.body' } }),
    ])
    const { status, headers } = await send('POST', '/workflows/stored', {
      ...{ ...reserved, 'content-type': 'text/html', 'x-own': 'yes' },
    })
    expect([status, headers['content-type'], headers['x-own']]).toEqual([200, 'text/html', 'yes'])
    expect(headers).toMatchObject({
      ...{ 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' },
    })
    for (const name of ['set-cookie', 'access-control-allow-origin', 'strict-transport-security', 'clear-site-data'])
      expect(headers[name], name).toBeUndefined()
  })

  it('says before it is published that such headers are not to be had, wherever the answer stands', () => {
    const inner = answers({ headers: { ...reserved, 'x-own': 'yes', 'content-length': '1' } })
    const document = {
      id: 'x',
      activities: [{ id: 'try', type: 'try', body: { activities: [inner] }, catch: { activities: [] } }],
    }
    const problems = api.engine.definitions.problems(document as never).filter(({ severity }) => severity === 'error')
    expect(problems.map(({ code }) => code)).toEqual(Object.keys(reserved).map(() => 'INVALID_INPUT'))
    expect(problems[1]).toMatchObject({
      pointer: '/activities/0/body/activities/0/inputs/headers/set-cookie',
      text: expect.stringContaining('remove it'),
    })
  })

  it('takes forms and text, and refuses what it cannot read', async () => {
    await publish('form', [endpoint({ path: '/form', mode: 'sync' }), answers({ body: { $expr: 'input.body' } })])
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await send('POST', '/workflows/form', 'a=1&b=2&b=3', form)).body).toEqual({ a: '1', b: ['2', '3'] })
    expect((await send('POST', '/workflows/form', 'plain', { 'content-type': 'text/plain' })).body).toBe('plain')
    expect((await send('POST', '/workflows/form', '{"a":', {})).body).toMatchObject({
      status: 400,
      code: 'MALFORMED_JSON',
    })
    expect((await send('POST', '/workflows/form', '"\\u0000"', {})).body).toMatchObject({ code: 'MALFORMED_JSON' })
    expect((await send('POST', '/workflows/form?a=%00')).body).toMatchObject({ code: 'INVALID_REQUEST' })
    const image = { 'content-type': 'image/png' }
    expect((await send('POST', '/workflows/form', 'x', image)).body).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' })
    const packed = { 'content-encoding': 'gzip' }
    expect((await send('POST', '/workflows/form', '{}', packed)).body).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  it('holds the body against its limit and its schema', async () => {
    const schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }
    await publish('limits', [endpoint({ path: '/limits', maxBytes: 20, body: schema })])
    const large = await send('POST', '/workflows/limits', { n: 1, text: 'x'.repeat(100) })
    expect(large.body).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' })
    const wrong = await send('POST', '/workflows/limits', { n: 'x' })
    expect(wrong.body).toMatchObject({ status: 422, code: 'INPUT_INVALID', problems: [{ pointer: '/body/n' }] })
    const missing = await send('POST', '/workflows/limits', {})
    expect(missing.body).toMatchObject({ problems: [{ pointer: '/body/n', text: 'is missing: fill it in' }] })
    expect((await send('POST', '/workflows/limits', { n: 1 })).status).toBe(202)
  })

  it('answers 404 for paths of nobody and 405 for other methods, and follows what is published', async () => {
    await publish('comes', [endpoint({ path: '/comes/{x}', methods: ['PUT', 'DELETE'] })])
    for (const path of [
      '/workflows',
      '/workflows/',
      '/workflows/comes',
      '/workflows/comes/1/2',
      '/workflows/%00',
      '/workflows/%zz',
    ])
      expect((await send('PUT', path)).status, path).toBeGreaterThanOrEqual(400)
    expect((await send('PUT', '/workflows/unknown')).body).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    const other = await send('POST', '/workflows/comes/1', {})
    expect([other.body.code, other.headers.allow]).toEqual(['METHOD_NOT_ALLOWED', 'DELETE, PUT'])
    expect((await send('PUT', '/workflows/comes/1')).status).toBe(202)
    await api.call('POST', '/workflow-definitions/comes/retract')
    expect((await send('PUT', '/workflows/comes/1')).status).toBe(404)
  })

  it('finds paths that collide when they are published, and says whose they are', async () => {
    await publish('owner', [endpoint({ path: '/taken/{a}', methods: ['GET', 'POST'] })])
    const rival = await publish('rival', [endpoint({ path: '/taken/{other}/', methods: ['POST', 'PUT'] })])
    expect(rival.body).toMatchObject({
      status: 422,
      code: 'DEFINITION_INVALID',
      problems: [
        { pointer: '/activities/0/inputs/path', code: 'PATH_TAKEN', text: expect.stringContaining('"owner"') },
      ],
    })
    expect((await publish('rival', [endpoint({ path: '/taken/{other}', methods: ['PUT'] })])).status).toBeLessThan(300)
    expect((await publish('owner', [endpoint({ path: '/taken/{b}', methods: ['GET'] })])).status).toBeLessThan(300)
    expect((await publish('rival', [endpoint({ path: '/taken/{x}', methods: ['POST'] })])).status).toBeLessThan(300)
    const listed = (await api.call('GET', '/http-endpoints?limit=200')).body.items
    expect(listed.filter((each: { path: string }) => each.path === '/taken/{}')).toMatchObject([
      { method: 'GET', definitionId: 'owner' },
      { method: 'POST', definitionId: 'rival' },
    ])
  })

  it('says what is wrong with an endpoint before it is published', () => {
    const problems = (...activities: readonly object[]) =>
      api.engine.definitions
        .problems({ id: 'x', activities } as never)
        .filter(({ severity }) => severity === 'error')
        .map(({ pointer, code }) => `${code} ${pointer}`)
    const path = '/activities/0/inputs/path'
    expect(problems(endpoint({ path: '/a/{b}' }))).toEqual([])
    expect(problems(endpoint({ path: '/a b' }))).toEqual([`INVALID_INPUT ${path}`])
    expect(problems(endpoint({ path: '/{1}' }))).toEqual([`INVALID_INPUT ${path}`])
    expect(problems(endpoint({ path: '/{a}/{a}' }))).toEqual([`INVALID_INPUT ${path}`])
    expect(problems(endpoint({ path: '/../x' }))).toEqual([`INVALID_INPUT ${path}`])
    expect(problems(endpoint({ path: '/'.concat('a/'.repeat(21)) }))).toEqual([`INVALID_INPUT ${path}`])
    expect(problems(endpoint({ path: { $expr: 'input' } }))).toEqual([`INVALID_INPUT ${path}`])
    expect(problems(endpoint({ path: '/a', methods: ['get'] }))).toEqual([
      'INVALID_INPUT /activities/0/inputs/methods/0',
    ])
    expect(problems(endpoint({ path: '/a', headers: ['Authorization'] }))).toEqual([
      'INVALID_INPUT /activities/0/inputs/headers/0',
    ])
    expect(problems(endpoint({ path: '/a', body: { type: 'x' } }))).toEqual(['INVALID_INPUT /activities/0/inputs/body'])
    expect(problems(endpoint({ path: '/a', timeout: '2m' }))).toEqual(['INVALID_INPUT /activities/0/inputs/timeout'])
    expect(problems(endpoint({ path: '/a' }), endpoint({ path: 'a/' }, 'b'))).toEqual([
      'PATH_TAKEN /activities/1/inputs/path',
    ])
  })

  it('refuses answers that would forge headers', async () => {
    await publish('forge', [
      endpoint({ path: '/forge', mode: 'sync' }),
      answers({ headers: { 'x-a': { $expr: '"a\\r\\nset-cookie: x=1"' } } }),
    ])
    const { status, body } = await send('POST', '/workflows/forge')
    expect([status, body.status]).toEqual([202, 'faulted'])
  })
})
