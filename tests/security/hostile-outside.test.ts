/** What strangers send to the doors that are open to them: workflows that answer requests, links for people, pages and files. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../faults/until.ts'
import { BOOTSTRAP_KEY, openSecuredApi, type SecuredApi } from './open-secured-api.ts'

let api: SecuredApi
let folder: string
let from = 0
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lockstep-hostile-'))
  const studio = path.join(folder, 'studio')
  await mkdir(path.join(studio, 'assets'), { recursive: true })
  await writeFile(path.join(studio, 'index.html'), '<!doctype html><head></head>')
  await writeFile(path.join(studio, 'assets', 'app.js'), 'export {}')
  await writeFile(path.join(folder, 'private.txt'), 'not for strangers')
  api = await openSecuredApi({}, { studio })
  for (const body of [echo, asks])
    await api.send({ method: 'PUT', path: `/workflow-definitions/${body.id}`, as: BOOTSTRAP_KEY, body })
})
afterAll(async () => {
  await api?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const echo = {
  id: 'echo',
  activities: [
    { id: 'in', type: 'http-endpoint', inputs: { path: '/echo', mode: 'sync' } },
    { id: 'out', type: 'http-response', inputs: { body: { $expr: 'input.body' } } },
  ],
  connections: [{ from: 'in', to: 'out' }],
}
const asks = {
  id: 'asks',
  activities: [
    {
      id: 'ask',
      type: 'human-task',
      inputs: {
        title: 'Go on?',
        outcomes: ['yes', 'no'],
        form: { type: 'object', properties: { why: { type: 'string' }, more: { type: ['array', 'object'] } } },
      },
    },
  ],
}

async function link(): Promise<string> {
  const as = BOOTSTRAP_KEY
  const { body } = await api.send({ method: 'POST', path: '/workflow-instances', as, body: { definitionId: 'asks' } })
  const tasks = async () => (await api.send({ path: `/human-tasks?instanceId=${body.id}`, as })).body.items
  await until('it asks', async () => (await tasks()).length === 1)
  const [task] = await tasks()
  return (await api.send({ method: 'POST', path: `/human-tasks/${task.id}/token`, as, body: {} })).body.page
}

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const many = (members: number): string =>
  `{${Array.from({ length: members }, (_, each) => `"${each.toString(36)}":1`).join(',')}}`
const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const post = (url: string, payload: string, headers: Record<string, string>) =>
  api.app.inject({ method: 'POST', url, payload, headers, remoteAddress: `10.7.0.${++from % 250}` })
const instances = async (): Promise<number> =>
  (await api.send({ path: '/workflow-instances?definition=echo', as: BOOTSTRAP_KEY })).body.count.value

describe('a workflow that answers requests', () => {
  it.each([
    ['nesting without end', deep(100_000), 'BODY_TOO_COMPLEX'],
    ['nesting without end, as another JSON', deep(100_000), 'BODY_TOO_COMPLEX', 'application/cloudevents+json'],
    ['one level too many', deep(65), 'BODY_TOO_COMPLEX'],
    ['one member too many', many(50_001), 'BODY_TOO_COMPLEX'],
    ['half a body', '{"a":', 'MALFORMED_JSON'],
    ['__proto__', '{"__proto__":1}', 'MALFORMED_JSON'],
    ['constructor.prototype', '{"constructor":{"prototype":1}}', 'MALFORMED_JSON'],
    ['U+0000', '"\\u0000"', 'MALFORMED_JSON'],
    ['half a surrogate pair', '"\\ud800"', 'MALFORMED_JSON'],
    ['U+0000 in text', 'a\0b', 'MALFORMED_JSON', 'text/plain'],
    ['U+0000 in a form', 'a=%00', 'MALFORMED_JSON', 'application/x-www-form-urlencoded'],
    [
      'a form with fields without end',
      'a=1&'.concat(Array.from({ length: 50_001 }, (_, n) => `${n}=`).join('&')),
      'BODY_TOO_COMPLEX',
      'application/x-www-form-urlencoded',
    ],
    ['files', '--x--', 'UNSUPPORTED_MEDIA_TYPE', 'multipart/form-data; boundary=x'],
    ['a body without end', JSON.stringify('x'.repeat(1_300_000)), 'BODY_TOO_LARGE'],
  ])('refuses %s, and starts nothing', async (_, payload, code, type = 'application/json') => {
    const before = await instances()
    const answer = await post('/workflows/echo', payload, { 'content-type': type })
    expect([answer.json().code, answer.statusCode >= 400 && answer.statusCode < 500]).toEqual([code, true])
    expect(await instances()).toBe(before)
  })

  it('takes as much as it may', async () => {
    for (const payload of [deep(64), many(10_000)])
      expect((await post('/workflows/echo', payload, json)).json()).toEqual(JSON.parse(payload))
  })

  it('takes a form whose fields are called as nothing should be, as plain fields', async () => {
    const answer = await post('/workflows/echo', '__proto__=1&constructor=2', form)
    expect(answer.statusCode).toBeLessThan(500)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it.each(['/workflows/..%2f..%2fetc/passwd', '/workflows/%00', '/workflows/%ZZ', '/workflows/'])(
    'is not found at %s',
    async (url) => {
      const answer = await post(url, '1', json)
      expect(answer.headers['content-type']).toContain('application/problem+json')
      expect([400, 404]).toContain(answer.statusCode)
    },
  )
})

describe('a link for people', () => {
  it.each([
    ['U+0000', 'outcome=yes&field.why=a%00b'],
    ['half a surrogate pair in what is JSON', `outcome=yes&field.more=${encodeURIComponent('["\\ud800"]')}`],
    ['U+0000 in what is JSON', `outcome=yes&field.more=${encodeURIComponent('["\\u0000"]')}`],
    ['__proto__ in what is JSON', `outcome=yes&field.more=${encodeURIComponent('{"__proto__":{"admin":true}}')}`],
    ['nesting without end in what is JSON', `outcome=yes&field.more=${encodeURIComponent(deep(20_000))}`],
    ['an outcome that is not offered', 'outcome=maybe'],
    ['an outcome with U+0000', 'outcome=%00'],
    ['fields without end', Array.from({ length: 1_001 }, (_, n) => `f${n}=1`).join('&')],
  ])('refuses %s with a page, and is not used up', async (_, payload) => {
    const page = await link()
    const answer = await post(page, payload, form)
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([
      expect.toBeOneOf([413, 422]),
      'text/html; charset=utf-8',
    ])
    expect((await api.app.inject({ url: page, remoteAddress: '10.8.0.1' })).statusCode).toBe(200)
  })

  it.each(['/resume/%00', '/resume/..%2f..%2fetc%2fpasswd', `/resume/rt_${'0'.repeat(4_000)}`, '/resume/%3Cscript%3E'])(
    'of %s is as any other that opens nothing',
    async (url) => {
      for (const method of ['GET', 'POST'] as const) {
        const headers = method === 'GET' ? {} : form
        const payload = method === 'GET' ? {} : { payload: 'outcome=yes' }
        const answer = await api.app.inject({
          url,
          method,
          headers,
          ...payload,
          remoteAddress: `10.7.1.${++from % 250}`,
        })
        expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
        expect(answer.body).not.toContain('<script')
      }
    },
  )
})

describe('files and pages', () => {
  it.each([
    '/assets/../../private.txt',
    '/assets/..%2f..%2fprivate.txt',
    '/assets/%2e%2e/%2e%2e/private.txt',
    '/assets/..%5c..%5cprivate.txt',
    '/assets/app.js%00.txt',
    '/assets//app.js',
    '/problems/..%2f..%2fprivate.txt',
    '/problems/__proto__',
    '/problems/constructor',
    '/problems/%3Cscript%3E',
    '/health/..%2fprivate.txt',
    '/private.txt',
    '/__proto__',
  ])('at %s are none', async (url) => {
    const answer = await api.app.inject({ url })
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
    ])
    expect(answer.body).not.toContain('not for strangers')
    expect(answer.body).not.toContain('<script')
  })
})
