import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Statement } from '../../src/db/statement.ts'
import { sqlstateOf, statement } from '../../src/index.ts'
import type { Contract } from '../db-contract.ts'
import { errorOf } from '../open-test-database.ts'

const insert = statement<number>('contract_insert', (id) => [id], 'insert into item (id) values ($1)')
const insertMany = statement<readonly number[], { id: number }>(
  'contract_insert_many',
  (ids) => [ids],
  'insert into item (id) select unnest($1::int4[]) returning id',
)
const list = statement<undefined, { id: number }>('contract_list', () => [], 'select id from item order by id', {
  readOnly: true,
})
const find = statement<number, { id: number }>('contract_find', (id) => [id], 'select id from item where id = $1', {
  readOnly: true,
})
const divide = statement<number, { result: number }>(
  'contract_divide',
  (by) => [by],
  'select (10 / $1::int4) as result',
  { readOnly: true },
)
const all = statement<undefined, Record<string, unknown>>('contract_all', () => [], 'select * from changing', {
  readOnly: true,
})

export function statementContract(contract: Contract): void {
  describe('statements', () => {
    beforeAll(() => contract.db.script('create table item (id int4 primary key); create table changing (a int4)'))
    beforeEach(() => contract.db.script('truncate item'))

    it('answers rows, one row, perhaps a row, or a count', async () => {
      expect(await contract.db.many(insertMany, [2, 1])).toEqual([{ id: 2 }, { id: 1 }])
      expect(await contract.db.one(find, 1)).toEqual({ id: 1 })
      expect(await contract.db.maybeOne(find, 9)).toBeUndefined()
      expect(await contract.db.run(insert, 3)).toBe(1)
      expect(await contract.db.run(insertMany, [4, 5])).toBe(2)
    })

    it('says when there are fewer or more rows than the call allows', async () => {
      await contract.db.run(insertMany, [1, 2])
      const details = { statement: 'contract_list', found: 2 }
      await expect(contract.db.one(find, 9)).rejects.toMatchObject({
        code: 'UNEXPECTED_ROW_COUNT',
        details: { found: 0 },
      })
      await expect(contract.db.one(list)).rejects.toMatchObject({ code: 'UNEXPECTED_ROW_COUNT', details })
      await expect(contract.db.maybeOne(list)).rejects.toMatchObject({ code: 'UNEXPECTED_ROW_COUNT', details })
    })

    it('names the statement, the state and the constraint of a refusal', async () => {
      await contract.db.run(insert, 1)
      const error = await errorOf(contract.db.run(insert, 1))
      expect(error).toMatchObject({
        code: 'DATABASE_REFUSED',
        retryable: false,
        details: { sqlstate: '23505', constraint: 'item_pkey', statement: 'contract_insert' },
      })
      expect(sqlstateOf(error)).toBe('23505')
    })

    it('does all of a script or none of it', async () => {
      await expect(
        contract.db.script('insert into item values (1); insert into item values (1)'),
      ).rejects.toMatchObject({
        details: { sqlstate: '23505' },
      })
      expect(await contract.db.many(list)).toEqual([])
    })

    it('survives a script that leaves a transaction open', async () => {
      await contract.db.script('begin; insert into item values (1)')
      await contract.db.run(insert, 2)
      expect(await contract.db.many(list)).toEqual([{ id: 2 }])
    })

    it('keeps a failing statement from harming its neighbours', async () => {
      await contract.db.run(insert, 0)
      const results = await Promise.allSettled(
        Array.from({ length: 60 }, (_, index) => {
          if (index % 3 === 1) return contract.db.one(divide, 0)
          return index % 3 === 2 ? contract.db.run(insert, 0) : contract.db.run(insert, index + 1)
        }),
      )
      const states = results.map((result) => (result.status === 'fulfilled' ? 'ok' : sqlstateOf(result.reason)))
      expect(states).toEqual(Array.from({ length: 60 }, (_, index) => ['ok', '22012', '23505'][index % 3]))
      expect(await contract.db.many(list)).toHaveLength(21)
    })

    it('keeps a statement that cannot even be prepared from harming its neighbours', async () => {
      const later = statement<undefined, { id: number }>('contract_later', () => [], 'select id from later', {
        readOnly: true,
      })
      const results = await Promise.allSettled([
        contract.db.many(later),
        contract.db.many(later),
        contract.db.one(divide, 2),
        contract.db.many(later),
        contract.db.one(divide, 5),
      ])
      expect(
        results.map((result) => (result.status === 'fulfilled' ? result.value : sqlstateOf(result.reason))),
      ).toEqual(['42P01', '42P01', { result: 5 }, '42P01', { result: 2 }])
      await contract.db.script('create table later (id int4); insert into later values (1)')
      expect(await contract.db.many(later)).toEqual([{ id: 1 }])
    })

    it('goes on when a migration changes what a prepared statement returns', async () => {
      await contract.db.script('insert into changing values (1)')
      await Promise.all(Array.from({ length: 20 }, () => contract.db.many(all)))
      await contract.db.script('alter table changing add column b int4')
      const rows = await Promise.all(Array.from({ length: 20 }, () => contract.db.many(all)))
      expect(rows).toEqual(Array.from({ length: 20 }, () => [{ a: 1, b: null }]))
      await contract.db.script('alter table changing add column c int4')
      expect(await contract.db.transaction((tx) => tx.many(all))).toEqual([{ a: 1, b: null, c: null }])
    })

    it('takes statements that nobody named, each for itself', async () => {
      const unnamed = (text: string): Statement<undefined, unknown> => ({
        name: '',
        text,
        readOnly: false,
        bind: () => [],
      })
      const found = await contract.db.transaction(async (tx) => [
        await tx.many(unnamed('select 1::int4 as a')),
        await tx.many(unnamed(`select 'x' as b, 2::int4 as c`)),
        await tx.many(unnamed('select 1::int4 as a')),
      ])
      expect(found).toEqual([[{ a: 1 }], [{ b: 'x', c: 2 }], [{ a: 1 }]])
    })

    it('offers the same tables in every lane', async () => {
      await contract.db.lane('flush').run(insert, 1)
      for (const name of ['control', 'work', 'api', 'flush'] as const) {
        expect(await contract.db.lane(name).many(list)).toEqual([{ id: 1 }])
      }
      await contract.db.ping()
    })
  })
}
