import { describe, expect, it } from 'vitest'
import { parseLogLevels } from './log-levels.ts'

describe('levels of the log', () => {
  it.each([
    ['debug', 'debug', {}],
    ['info,locks=debug', 'info', { locks: 'debug' }],
    [' warn , round-trip=silent,http=error', 'warn', { 'round-trip': 'silent', http: 'error' }],
    ['locks=debug', 'info', { locks: 'debug' }],
  ])('%s', (text, level, areas) => {
    const found = parseLogLevels(text)
    expect([found.level, Object.fromEntries(found.areas)]).toEqual([level, areas])
  })

  it.each(['loud', 'info,locks=loud', 'info,', 'info locks=debug'])('refuse %s', (text) => {
    expect(() => parseLogLevels(text)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  })
})
