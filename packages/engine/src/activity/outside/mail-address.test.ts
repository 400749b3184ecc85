import { describe, expect, it } from 'vitest'
import { mailAddress } from './mail-address.ts'

describe('an address of a mail', () => {
  it.each([
    ['ann@example.org', '', 'ann@example.org'],
    [' ann@example.org ', '', 'ann@example.org'],
    ['<ann@example.org>', '', 'ann@example.org'],
    ['Ann <ann@example.org>', 'Ann', 'ann@example.org'],
    ['"Ann, of Kent" <ann@example.org>', 'Ann, of Kent', 'ann@example.org'],
    ['Änne Müller <änne@bücher.example>', 'Änne Müller', 'änne@bücher.example'],
  ])('%j is one', (text, name, address) => {
    expect(mailAddress(text, 'to')).toEqual({ name, address })
  })

  it.each([
    'ann',
    'a@b, c@d',
    'a@b; c@d',
    'a@b c@d',
    'a@b@c',
    'Ann <a@b>, Bob <c@d>',
    'a@b\r\nBcc: c@d',
    'Ann\r\nBcc: c@d <a@b>',
    'group: a@b;',
    '<a@b> <c@d>',
    '"x" <a@b> c@d',
    'a@b\u0000',
    '@b',
    'a@',
  ])('%j is none', (text) => {
    expect(() => mailAddress(text, 'to')).toThrow(/input "to" must be one address/)
  })

  it('is told from a long text of blanks before anybody gives up waiting', () => {
    const blanks = ' '.repeat(200_000)
    for (const text of [blanks, `Ann${blanks}ann@example.org`, `Ann${blanks}<ann@example.org`])
      expect(() => mailAddress(text, 'to')).toThrow(/input "to" must be one address/)
    expect(mailAddress(`Ann${blanks}<ann@example.org>`, 'to')).toEqual({ name: 'Ann', address: 'ann@example.org' })
  })
})
