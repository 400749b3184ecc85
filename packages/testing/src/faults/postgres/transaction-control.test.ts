import { describe, expect, it } from 'vitest'
import { transactionControl } from './transaction-control.ts'

describe('transaction control in SQL', () => {
  it.each([
    ['commit', ['commit']],
    ['  COMMIT ;', ['commit']],
    ['COMMIT WORK', ['commit']],
    ['commit transaction', ['commit']],
    ['END', ['commit']],
    ["COMMIT PREPARED 'x'", ['commit']],
    ['commit and chain', ['commit-and-chain']],
    ['commit and no chain', ['commit']],
    ['rollback', ['rollback']],
    ['ABORT', ['rollback']],
    ['rollback and chain', ['rollback-and-chain']],
    ['rollback to savepoint a', []],
    ['rollback work to a', []],
    ["rollback prepared 'x'", []],
    ['begin isolation level serializable', ['begin']],
    ['start transaction', ['begin']],
    ['savepoint commit', []],
    ['', []],
    [';;', []],
  ])('reads %j', (sql, expected) => {
    expect(transactionControl(sql)).toEqual(expected)
  })

  it('finds it among several statements, and after comments', () => {
    expect(transactionControl('begin; insert into t values (1); commit')).toEqual(['begin', 'commit'])
    expect(transactionControl('-- note\n/* a /* nested */ b */ commit')).toEqual(['commit'])
    expect(transactionControl('commit -- ; rollback')).toEqual(['commit'])
  })

  it.each([
    ["select ';commit;'"],
    ["select 'it''s; commit'"],
    ["select E'\\'; commit; --'"],
    ['select 1 as ";commit;"'],
    ['select 1 -- ; commit'],
    ['select 1 /* ; commit; */'],
    ['do $$ begin; commit; end $$'],
    ['do $body$ ; commit; $$ ; commit; $body$'],
    ['create procedure p() language plpgsql as $f$ begin commit; end $f$'],
    ['insert into t values ($1, $2)'],
    ['select commit from t'],
    ['call "commit"()'],
    ["select 'open; commit"],
  ])('sees none in %j', (sql) => {
    expect(transactionControl(sql)).toEqual([])
  })

  it('is not fooled by a word that ends in e before a string', () => {
    expect(transactionControl("select type'\\'; commit")).toEqual(['commit'])
  })
})
