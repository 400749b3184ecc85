import type { JsonObject } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { builtInCatalogue } from '../activity/built-in.ts'
import { validateDocument } from '../graph/validate-document.ts'
import { atPlaces, secretPlaces, withStandIns } from './secret-places.ts'

const type = (name: string) => builtInCatalogue().get(name)!
const problemsOf = (name: string, inputs: JsonObject) =>
  validateDocument({ id: 'w', activities: [{ id: 'a', type: name, inputs }] }, builtInCatalogue()).map(
    ({ pointer, code, severity }) => `${severity} ${pointer} ${code}`,
  )

describe('places of secrets', () => {
  const inputs: JsonObject = {
    url: 'https://x.org',
    headers: { authorization: { $secret: 'token', prefix: 'Bearer ' }, old: { secret: 'older' } },
    body: { list: [1, { $secret: 'other' }], data: { $expr: 'input' }, kept: { secret: 'data' } },
  }

  it('are found wherever the document itself has them', () => {
    expect(secretPlaces(inputs, type('http-request'))).toEqual([
      { path: ['headers', 'authorization'], name: 'token', prefix: 'Bearer ' },
      { path: ['headers', 'old'], name: 'older', prefix: '' },
      { path: ['body', 'list', '1'], name: 'other', prefix: '' },
    ])
    expect(secretPlaces(inputs, type('log'))).toEqual([])
  })

  it('are filled without touching what is beside them', () => {
    const places = secretPlaces(inputs, type('http-request'))
    const filled = atPlaces(inputs, places, ['A', 'B', 'C'])
    expect(filled).toMatchObject({ headers: { authorization: 'A', old: 'B' }, body: { list: [1, 'C'] } })
    expect(inputs).toMatchObject({ headers: { authorization: { $secret: 'token' } } })
    expect(withStandIns({ a: 1 }, [])).toEqual({ a: 1 })
  })
})

describe('validation of secrets', () => {
  it.each([
    ['http-request', { url: 'https://x.org', headers: { authorization: { $secret: 'token', prefix: 'Bearer ' } } }],
    ['http-request', { url: { $secret: 'hook-url' }, body: { a: [{ $secret: 'token' }] } }],
    ['send-email', { to: { $secret: 'on-call' }, subject: { $secret: 'subject' }, text: { $secret: 'text' } }],
    ['sql-query', { query: 'select $1', parameters: [{ $secret: 'pin' }] }],
    ['webhook', { url: { $secret: 'hook-url' }, event: 'paid', secret: 'partner-key' }],
    ['redis-publish', { channel: 'x', message: { token: { $secret: 'token' } } }],
  ])('takes %s with %j', (name, inputs) => {
    expect(problemsOf(name, inputs as JsonObject)).toEqual([])
  })

  it.each([
    ['log', { message: { $secret: 'token' } }, ['error /activities/0/inputs/message INVALID_SECRET']],
    [
      'run-task',
      { queue: 'q', input: { a: { $secret: 'token' } } },
      ['error /activities/0/inputs/input/a INVALID_SECRET'],
    ],
    ['sql-query', { query: { $secret: 'statement' } }, ['error /activities/0/inputs/query INVALID_SECRET']],
    [
      'http-request',
      { url: 'https://x.org', body: { $secret: 'My Password!' } },
      ['error /activities/0/inputs/body INVALID_SECRET'],
    ],
    [
      'http-request',
      { url: 'https://x.org', body: { $secret: 'token', suffix: 'x' } },
      ['error /activities/0/inputs/body INVALID_SECRET'],
    ],
    [
      'http-request',
      { url: 'https://x.org', maxBytes: { $secret: 'token' } },
      ['error /activities/0/inputs/maxBytes INVALID_INPUT'],
    ],
    [
      'http-request',
      { url: 'https://x.org', body: { user: 'ann', password: 'hunter2', api_key: 'abc' } },
      [
        'warning /activities/0/inputs/body/api_key LITERAL_SECRET',
        'warning /activities/0/inputs/body/password LITERAL_SECRET',
      ],
    ],
    [
      'webhook',
      { url: 'https://x.org', event: 'a', secret: { $expr: 'input.s' } },
      ['error /activities/0/inputs/secret INVALID_INPUT'],
    ],
  ])('has something to say of %s with %j', (name, inputs, expected) => {
    const found = problemsOf(name, inputs as JsonObject).filter((each) => / (INVALID|LITERAL)_/.test(each))
    expect([...found].sort()).toEqual([...expected].sort())
  })
})
