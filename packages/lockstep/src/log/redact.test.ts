import { describe, expect, it } from 'vitest'
import { redact, redactText } from './redact.ts'

describe('log lines', () => {
  it('show nothing under a name of a secret, however it is written', () => {
    const names = [
      'password',
      'clientSecret',
      'api_key',
      'apiKey',
      'Authorization',
      'set-cookie',
      'resumeToken',
      'db.password',
    ]
    const fields = Object.fromEntries(names.map((name) => [name, 'hunter2']))
    expect(Object.values(redact({ ...fields, nested: { token: 'hunter2' } }))).toEqual([
      ...names.map(() => '[withheld]'),
      { token: '[withheld]' },
    ])
  })

  it('keep what only looks like one', () => {
    const fields = { tokens: 3, keyCount: 2, lock: 'secret-garden', secretary: 'Ada', key: 'stock/7', token: undefined }
    expect(redact(fields)).toEqual(fields)
  })

  it('show no password of a URL and no bearer', () => {
    expect(redactText('connect to postgres://ada:hunter2@db:5432/app failed')).toBe(
      'connect to postgres://ada:[withheld]@db:5432/app failed',
    )
    expect(redactText('redis://:hunter2@cache:6379')).toBe('redis://:[withheld]@cache:6379')
    expect(redactText('sent Authorization: Bearer abcdef.ghijkl')).toBe('sent Authorization: Bearer [withheld]')
    expect(redactText('at http://127.0.0.1:4400/api, by a@b')).toBe('at http://127.0.0.1:4400/api, by a@b')
  })

  it('are gone through once, however long a text is', () => {
    const long = 'a'.repeat(1_000_000)
    for (const text of [long, `x://${long}`, '://'.repeat(300_000), 'Bearer '.repeat(100_000)])
      expect(redactText(text)).toBe(text)
    expect(redactText(`${long}://ada:hunter2@db`)).toBe(`${long}://ada:[withheld]@db`)
  })

  it('can be written, whatever they hold', () => {
    const round: Record<string, unknown> = { fence: 7n, error: new Error('redis://:hunter2@cache') }
    round.self = round
    expect(JSON.stringify(redact(round))).not.toContain('hunter2')
  })
})
