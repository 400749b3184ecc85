import { describe, expect, it } from 'vitest'
import { csvOf } from './csv.ts'

describe('files for spreadsheets', () => {
  it('quote what must be quoted, and let nobody smuggle a formula in', () => {
    expect(
      csvOf(
        ['a', 'b'],
        [
          ['x,"y"', -1],
          ['=1+1', null],
        ],
      ),
    ).toBe(`a,b\r\n"x,""y""",-1\r\n'=1+1,`)
  })
})
