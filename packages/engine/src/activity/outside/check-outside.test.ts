import type { JsonObject } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { validateDocument } from '../../graph/validate-document.ts'
import { builtInCatalogue } from '../built-in.ts'

const problemsOf = (type: string, inputs: JsonObject) =>
  validateDocument({ id: 'w', activities: [{ id: 'a', type, inputs }] }, builtInCatalogue()).map(
    ({ pointer, code, text }) => `${pointer} ${code} ${text}`,
  )

describe('validation of what goes outside', () => {
  it.each([
    [
      'http-request',
      { url: 'https://example.org', headers: { Authorization: { secret: 'token', prefix: 'Bearer ' } } },
    ],
    [
      'http-request',
      { url: { $expr: 'input.url' }, headers: { authorization: { $expr: 'steps.x' } }, body: { $expr: '1' } },
    ],
    ['http-request', { url: { secret: 'hook-url' }, expectedStatus: ['2xx', 404], method: 'POST', timeout: '5s' }],
    ['webhook', { url: 'https://example.org', event: 'paid', secret: 'partner-key', payload: { $expr: 'input' } }],
    ['send-email', { to: ['a@example.org'], subject: 'x', text: 'y' }],
    ['send-email', { to: { $expr: 'input.to' }, subject: { $expr: 'input.s' }, html: { $expr: 'input.h' } }],
    ['sql-query', { query: 'select $1', parameters: [{ $expr: 'input.a' }], connection: 'reports' }],
    ['redis-publish', { channel: { $expr: 'input.c' }, message: { $expr: 'input' } }],
    ['rabbitmq-publish', { routingKey: 'orders', message: { a: 1 }, headers: { a: 1 } }],
    ['rabbitmq-message', { queue: 'orders', deadLetterQueue: 'dead' }],
  ])('takes %s with %j', (type, inputs) => {
    const found = problemsOf(type, inputs as JsonObject).filter((each) => !/UNKNOWN_STEP/.test(each))
    expect(found).toEqual([])
  })

  it.each([
    ['http-request', { url: 'ftp://example.org' }, /^\/activities\/0\/inputs\/url INVALID_INPUT .*http/],
    ['http-request', { url: 'nowhere' }, /\/url INVALID_INPUT/],
    ['http-request', { url: 'https://ann:pw@example.org' }, /holds a user or a password/],
    [
      'http-request',
      { url: 'https://x.org', headers: { 'X-Api-Key': 'abc' } },
      /\/headers\/X-Api-Key INVALID_INPUT .*secret/,
    ],
    [
      'http-request',
      { url: 'https://x.org', headers: { authorization: 'Bearer abc' } },
      /\/headers\/authorization INVALID_INPUT/,
    ],
    ['http-request', { url: 'https://x.org', method: 'FETCH' }, /\/method INVALID_INPUT .*one of GET/],
    ['http-request', { url: 'https://x.org', maxBytes: 2_000_000 }, /\/maxBytes INVALID_INPUT/],
    ['http-request', { url: 'https://x.org', timeout: 'soon' }, /\/timeout INVALID_DURATION/],
    ['http-request', {}, /MISSING_INPUT .*"url"/],
    [
      'webhook',
      { url: 'https://x.org', event: 'a', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
      /\/secret INVALID_INPUT/,
    ],
    ['webhook', { url: 'https://x.org', event: 'a', secret: 'My Password' }, /\/secret INVALID_INPUT/],
    ['webhook', { url: 'mailto:x', event: 'a', secret: 'key' }, /\/url INVALID_INPUT/],
    ['send-email', { to: 'a@b', subject: 'x' }, /\/inputs MISSING_INPUT .*"text" or "html"/],
    [
      'send-email',
      { to: 'a@b', subject: 'x', text: 'y', attachments: [{ name: '../x' }] },
      /attachments\/0\/name INVALID_INPUT/,
    ],
    ['sql-query', { query: { $expr: 'input.sql' } }, /\/query INVALID_INPUT .*must be a literal/],
    [
      'sql-query',
      { query: 'select 1', connection: { $expr: 'input.c' } },
      /\/connection INVALID_INPUT .*must be a literal/,
    ],
    ['sql-query', { query: 'drop table orders' }, /\/query INVALID_INPUT .*begins with select/],
    ['sql-query', { query: 'select 1', maxRows: 0 }, /\/maxRows INVALID_INPUT/],
    ['rabbitmq-message', { queue: { $expr: 'input.q' } }, /\/queue INVALID_INPUT .*literal/],
    ['rabbitmq-message', {}, /MISSING_INPUT .*"queue"/],
    ['rabbitmq-publish', { routingKey: 'x'.repeat(256), message: 1 }, /\/routingKey INVALID_INPUT/],
    ['redis-publish', { channel: '', message: 1 }, /\/channel INVALID_INPUT/],
  ])('refuses %s with %j', (type, inputs, expected) => {
    expect(problemsOf(type, inputs as JsonObject)).toEqual([expect.stringMatching(expected)])
  })
})
