/**
 * Requests for every operation, drawn from the served description and then bent: none is answered with a fault of ours, every refusal is a
 * problem document, and what was refused changed nothing. `LOCKSTEP_TEST_FUZZ=50` makes fifty times as many of them, `LOCKSTEP_TEST_SEED` others.
 */
import { statement } from '@lockstep/postgres'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiRoutes } from '../../packages/server/src/routes/index.ts'
import { approval } from '../../packages/server/test/documents.ts'
import { openTestApi, type TestApi } from '../../packages/server/test/open-test-api.ts'
import { hostileTexts, mutated, type Schema, valuesOf } from './schema-values.ts'

const RUNS = 6 * Number(process.env.LOCKSTEP_TEST_FUZZ ?? 1)

/** What only requests change: nothing in here moves by itself. */
const settled = statement<undefined, { facts: string }>(
  'test_settled',
  () => [],
  `select concat_ws(' ',
     (select json_agg(row(d.tenant, d.id, d.revision, d.published) order by d.tenant, d.id) from definition d),
     (select count(*) from definition_version), (select count(*) from instance),
     (select json_agg(row(s.id, s.revision, s.paused) order by s.id) from schedule s),
     (select json_agg(row(s.name, s.revision, s.key_id) order by s.name) from secret s),
     (select json_agg(row(k.id, k.revoked_at) order by k.id) from api_key k),
     (select json_agg(row(u.name, u.role, u.disabled, u.password_hash) order by u.name) from local_user u),
     (select count(*) from retention_rule), (select count(*) from resume_token)) as facts`,
)

let api: TestApi
let document: Schema
let texts: readonly string[]
const count = { taken: 0, refused: 0 }
beforeAll(async () => {
  // Without schedulers: what a drawn schedule would start is no change by a request.
  api = await openTestApi({ engine: { roles: ['api', 'worker'] } })
  document = (await api.app.inject({ url: '/api/v1/openapi.json' })).json()
  await api.call('PUT', '/workflow-definitions/waits', { body: approval('waits') })
  const { body } = await api.call('POST', '/workflow-instances', { body: { definitionId: 'waits' } })
  await api.call('PUT', '/secrets/a-token', { body: { value: 'long enough' } })
  texts = ['waits', 'a-token', 'x', body.id, '1s', '2027-01-31T09:00:00Z', '0 3 * * *', 'viewer', 'status=running', '1']
})
afterAll(() => api?.close())

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

interface Drawn {
  readonly path: string
  readonly payload: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

const anyText = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...texts) },
    fc.constantFrom(...hostileTexts.filter((each) => each.length < 2_000)),
  )

function requestsFor(path: string, operation: Operation): fc.Arbitrary<Drawn> {
  const parameters = operation.parameters ?? []
  const named = (where: string): Parameter[] => parameters.filter((each) => each.in === where)
  const inPath = fc.record(Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, anyText()])))
  const wanted = named('query').map(({ name, schema }) => [
    name,
    /^wait/.test(name)
      ? fc.constantFrom('1ms', 'soon')
      : fc.oneof(valuesOf(schema, document, texts).map(String), anyText()),
  ])
  const query = fc.record({ ...Object.fromEntries(wanted), strange: anyText() }, { requiredKeys: [] })
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const values = valuesOf(content?.schema ?? {}, document, texts)
  const body = fc.oneof(
    { weight: 4, arbitrary: mutated(values).map((value) => JSON.stringify(value)) },
    { weight: 3, arbitrary: values.map((value) => JSON.stringify(value)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', '{', '[]', 'null', '{"__proto__":{"a":1}}', '\ufeff{}', '{"a":1,"a":2}'),
    },
  )
  const sends = content !== undefined
  return fc
    .record({
      inPath,
      query,
      body: sends ? fc.option(body, { nil: undefined, freq: 8 }) : fc.constant(undefined),
      type: fc.constantFrom(
        type ?? 'application/json',
        type ?? 'application/json',
        'text/plain',
        'application/x-www-form-urlencoded',
        'a',
      ),
      ifMatch: fc.option(fc.constantFrom('*', '"1"', 'W/"x"', '"'.repeat(50), 'x')),
      key: fc.option(fc.constantFrom('k-1', '', ' ', 'k'.repeat(300), '"quoted"')),
    })
    .map((drawn) => {
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
        encode(String((drawn.inPath as Record<string, string>)[name])),
      )
      const asked = Object.entries(drawn.query).map(([name, value]) => `${name}=${encode(String(value))}`)
      return {
        path: asked.length === 0 ? filled : `${filled}?${asked.join('&')}`,
        payload: drawn.body,
        headers: {
          ...(drawn.body === undefined ? {} : { 'content-type': drawn.type }),
          ...(drawn.ifMatch === null ? {} : { 'if-match': drawn.ifMatch }),
          ...(drawn.key === null ? {} : { 'idempotency-key': drawn.key }),
        },
      }
    })
}

const encode = (text: string): string => encodeURIComponent(Buffer.from(text).toString())

/** Those that take the node out of service do so rightly, and those whose answer has no end cannot be waited for. */
const LEFT_OUT = new Set([
  'drainNode',
  'cordonNode',
  ...apiRoutes.filter(({ stream }) => stream === true).map(({ name }) => name),
])
const names = apiRoutes.map(({ name }) => name).filter((name) => !LEFT_OUT.has(name))

describe('drawn from the description', () => {
  it.each(names)('%s has no answer that is a fault of ours', async (name) => {
    const paths = document.paths as Record<string, Record<string, Operation>>
    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )
    const { path, method, operation } = found.find(({ operation: each }) => each.operationId === name)!
    await fc.assert(
      fc.asyncProperty(requestsFor(path, operation), async (drawn) => {
        const before = await api.db.one(settled)
        const answer = await api.app.inject({
          method: method.toUpperCase() as 'GET',
          url: `/api/v1${drawn.path}`,
          headers: drawn.headers,
          ...(drawn.payload === undefined ? {} : { payload: drawn.payload }),
        })
        expect([answer.statusCode, api.failures]).toEqual([expect.any(Number), []])
        expect(answer.statusCode).toBeLessThan(500)
        count[answer.statusCode < 400 ? 'taken' : 'refused'] += 1
        if (answer.statusCode < 400) return
        expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8')
        const problem = answer.json()
        expect(problem).toMatchObject({ status: answer.statusCode, code: expect.stringMatching(/^[A-Z][A-Z0-9_]+$/) })
        expect(await api.db.one(settled)).toEqual(before)
      }),
      { numRuns: RUNS },
    )
  })

  it('were requests that are taken and requests that are refused, enough of both', () => {
    expect([count.taken > names.length / 10, count.refused > names.length]).toEqual([true, true])
  })
})
