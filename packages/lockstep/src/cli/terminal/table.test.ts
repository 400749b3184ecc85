import { describe, expect, it } from 'vitest'
import { widthOf } from './display-width.ts'
import { renderFields, renderTable } from './table.ts'

describe('the width of a text at a terminal', () => {
  it.each([
    ['orders', 6],
    ['注文', 4],
    ['한국', 4],
    ['e\u0301', 1],
    ['🚀', 2],
    ['👩‍💻', 2],
    ['❤️', 2],
    ['🇩🇪', 2],
    ['ünïcode…', 8],
    ['\u200b', 0],
  ])('of %s is %i', (text, width) => expect(widthOf(text)).toBe(width))
})

describe('a table', () => {
  const columns = [
    { title: 'NAME', text: (row: readonly string[]) => row[0]!, elastic: true as const },
    { title: 'STATE', text: (row: readonly string[]) => row[1]! },
  ]

  it('has its columns one below the other, whatever letters are in it', () => {
    const lines = renderTable(
      [
        ['注文', 'ok'],
        ['🚀 go', 'ok'],
        ['e\u0301te\u0301', 'ok'],
      ],
      columns,
    ).split('\n')
    const places = lines.filter(Boolean).map((line) => widthOf(line.slice(0, line.search(/ok|STATE/))))
    expect(places).toEqual([7, 7, 7, 7])
  })

  it('is cut between letters, never through one', () => {
    const [, row] = renderTable([['注文注文注文注文', 'ok']], columns, { width: 16 }).split('\n')
    expect(row).toBe('注文注文…  ok')
  })
})

describe('fields of one thing', () => {
  it('show controls of a value, and let no line of it pass for another field', () => {
    const text = renderFields([
      ['id', 'wfi_1'],
      ['note', 'a\rb\x1b[31mc\nstatus  completed'],
    ])
    expect(text).toBe('id    wfi_1\nnote  a\\x0db\\x1b[31mc\n      status  completed\n')
  })

  it('keep the colour that is theirs', () => {
    expect(renderFields([['status', 'faulted', (text) => `<${text}>`]])).toBe('status  <faulted>\n')
  })
})
