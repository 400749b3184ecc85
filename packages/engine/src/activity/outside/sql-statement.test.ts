import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { statementKind } from './sql-statement.ts'
import { parametersOf, rowsToJson } from './sql-values.ts'

describe('a statement of a step', () => {
  it.each([
    ['select 1', 'reading'],
    ['  -- why\n/* and\n how */ SELECT 1', 'reading'],
    ['(select 1) union (select 2)', 'reading'],
    ['values (1)', 'reading'],
    ['table orders', 'reading'],
    ['with a as (select 1) select * from a', 'reading'],
    ['with a as (delete from x returning *) select * from a', 'writing'],
    ['insert into x values (1)', 'writing'],
    ['Update x set y = 1', 'writing'],
    ['delete from x', 'writing'],
    ['merge into x using y on true when matched then delete', 'writing'],
    ['call p()', 'writing'],
    ['commit', 'refused'],
    ['/* select */ rollback', 'refused'],
    ['begin', 'refused'],
    ['set search_path to x', 'refused'],
    ['drop table x', 'refused'],
    ['do $$ begin end $$', 'refused'],
    ["copy x to program 'sh'", 'refused'],
    ['listen x', 'refused'],
    ['', 'refused'],
    ['/* never ends select 1', 'refused'],
    ['select 1; commit', 'refused'],
    ['select 1;', 'reading'],
    ['select 1; -- the end', 'reading'],
    ["select ';', E'\\';', $$;$$, $a$;$$;$a$, \";\" /* ; /* ; */ ; */ -- ;", 'reading'],
    ['/* a /* b */ select 1 */ commit', 'refused'],
    ["select 'a\\'; commit; --'", 'refused'],
    ["select E'a\\'; commit; --'", 'reading'],
    ["select name'\\'; commit; --'", 'refused'],
    ['select $1; commit; select $1', 'refused'],
    ['select a$b$; commit; select a$b$', 'refused'],
    ["select 'never ends", 'refused'],
    ['select $x$ never ends', 'refused'],
    ['select 1 --\r; commit', 'refused'],
  ])('%j is %s', (text, kind) => {
    expect(statementKind(text)).toBe(kind)
  })

  it('is one, whatever stands in its quotes and comments', () => {
    const inside = fc.stringMatching(/^[a-z;$* \n-]{0,20}$/)
    fc.assert(
      fc.property(inside, inside, inside, (a, b, c) => {
        const quiet = c.replaceAll('$', '').replaceAll('*', '')
        const text = `select '${a}', "${b}", $q$${a}$q$ /* ${quiet} */ from x`
        expect(statementKind(text)).toBe('reading')
        expect(statementKind(`${text}; commit`)).toBe('refused')
      }),
    )
  })

  it('is told however many blanks stand in it', () => {
    const blanks = ' '.repeat(500_000)
    expect(statementKind(`select${blanks}1 ;${blanks}`)).toBe('reading')
    expect(statementKind(`select 1;${blanks}commit`)).toBe('refused')
  })

  it('gets objects as JSON and plain lists as arrays', () => {
    expect(parametersOf([1, 'a', null, true, { a: 1 }, [1, 2], [{ a: 1 }]])).toEqual([
      ...[1, 'a', null, true, '{"a":1}'],
      [1, 2],
      '[{"a":1}]',
    ])
    expect(parametersOf(undefined)).toEqual([])
  })

  it('answers rows that JSON can hold', () => {
    const row = {
      big: 10n,
      bytes: Buffer.from('ab'),
      nan: Number.NaN,
      list: [1n, null],
      at: new Date(0),
      no: undefined,
    }
    expect(rowsToJson([row])).toEqual([
      { big: '10', bytes: 'YWI=', nan: 'NaN', list: ['1', null], at: '1970-01-01T00:00:00.000Z', no: null },
    ])
  })
})
