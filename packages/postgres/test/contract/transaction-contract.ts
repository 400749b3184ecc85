import { deferred } from '@lockstep/base'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DatabaseRefused, type Queries, sqlstateOf, statement } from '../../src/index.ts'
import type { Contract } from '../db-contract.ts'
import { errorOf } from '../open-test-database.ts'

const insert = statement<number, { id: number }>(
  'contract_tx_insert',
  (id) => [id],
  'insert into entry (id) values ($1) returning id',
)
const list = statement<undefined, { id: number }>('contract_tx_list', () => [], 'select id from entry order by id', {
  readOnly: true,
})
const total = statement<undefined, { total: string }>(
  'contract_tx_total',
  () => [],
  'select coalesce(sum(id), 0) as total from entry',
  {
    readOnly: true,
  },
)
const raise = statement<string>('contract_tx_raise', (state) => [state], 'select raise_state($1)')

export function transactionContract(contract: Contract): void {
  const ids = async (): Promise<number[]> => (await contract.db.many(list)).map((row) => row.id)

  describe('transactions', () => {
    beforeAll(() =>
      contract.db.script(`
        create table entry (id int4 primary key);
        create function raise_state(state text) returns void language plpgsql as $$ begin raise exception 'raised' using errcode = state; end $$`),
    )
    beforeEach(() => contract.db.script('truncate entry'))

    it('commits what the closure did and answers its value', async () => {
      const value = await contract.db.transaction(async (tx) => {
        await tx.run(insert, 1)
        await tx.run(insert, 2)
        return (await tx.many(list)).length
      })
      expect(value).toBe(2)
      expect(await ids()).toEqual([1, 2])
    })

    it('rolls back when the closure throws, and throws the same error', async () => {
      const mine = new Error('mine')
      const thrown = await errorOf(
        contract.db.transaction(async (tx) => {
          await tx.run(insert, 1)
          throw mine
        }),
      )
      expect(thrown).toBe(mine)
      expect(await ids()).toEqual([])
    })

    it('does not call it success when the closure hides an SQL error', async () => {
      let runs = 0
      const thrown = await errorOf(
        contract.db.transaction(async (tx) => {
          runs++
          await tx.run(insert, 1)
          await tx.run(insert, 1).catch(() => {})
        }),
      )
      expect(sqlstateOf(thrown)).toBe('25P02')
      expect(sqlstateOf((thrown as Error).cause)).toBe('23505')
      expect(runs).toBe(1)
      expect(await ids()).toEqual([])
    })

    it('lets the closure go on after an error when it used a savepoint', async () => {
      await contract.db.transaction(async (tx) => {
        await tx.run(insert, 1)
        await tx.script('savepoint before')
        await tx.run(insert, 1).catch(() => tx.script('rollback to savepoint before'))
        await tx.run(insert, 2)
      })
      expect(await ids()).toEqual([1, 2])
    })

    it('keeps statements outside it out of it', async () => {
      const inside = deferred<void>()
      const rolledBack = errorOf(
        contract.db.transaction(async (tx) => {
          await tx.run(insert, 1)
          inside.resolve()
          await tx.run(insert, 3)
          throw new Error('no')
        }),
      )
      await inside.promise
      await contract.db.run(insert, 2)
      await rolledBack
      expect(await ids()).toEqual([2])
    })

    it('refuses statements that come after its end', async () => {
      let kept: Queries | undefined
      await contract.db.transaction(async (tx) => {
        kept = tx
      })
      expect(sqlstateOf(await errorOf(kept!.run(insert, 1)))).toBe('25P01')
      expect(await ids()).toEqual([])
    })

    it('refuses to write in a transaction that only reads', async () => {
      const thrown = await errorOf(contract.db.transaction((tx) => tx.run(insert, 1), { readOnly: true }))
      expect(sqlstateOf(thrown)).toBe('25006')
    })

    it('takes many at once', async () => {
      await Promise.all(
        Array.from({ length: 40 }, (_, index) => contract.db.transaction((tx) => tx.run(insert, index))),
      )
      expect(await ids()).toHaveLength(40)
    })

    it('runs the closure again after a serialisation failure or deadlock, and gives up after the given attempts', async () => {
      for (const [first, state] of [
        [100, '40001'],
        [200, '40P01'],
      ] as const) {
        let runs = 0
        await contract.db.transaction(async (tx) => {
          await tx.run(insert, first + runs)
          if (++runs < 3) await tx.run(raise, state)
        })
        expect(runs).toBe(3)
        let failures = 0
        const thrown = await errorOf(
          contract.db.transaction(
            (tx) => {
              failures++
              return tx.run(raise, state)
            },
            { attempts: 4 },
          ),
        )
        expect([failures, sqlstateOf(thrown)]).toEqual([4, state])
      }
      expect(await ids()).toEqual([102, 202])
    })

    it('runs the closure once after any other refusal', async () => {
      let runs = 0
      const attempt = contract.db.transaction((tx) => {
        runs++
        return tx.run(raise, '23505')
      })
      expect(DatabaseRefused.is(await errorOf(attempt))).toBe(true)
      expect(runs).toBe(1)
    })

    if (contract.missing.concurrentTransactions === undefined)
      it('lets one of two clashing serialisable transactions run again', async () => {
        const bothHaveRead = deferred<void>()
        let readCount = 0
        let runs = 0
        const add = (): Promise<void> =>
          contract.db.transaction(
            async (tx) => {
              runs++
              const sum = Number((await tx.one(total)).total)
              if (++readCount === 2) bothHaveRead.resolve()
              await bothHaveRead.promise
              await tx.run(insert, sum + 1)
            },
            { isolation: 'serializable' },
          )
        await Promise.all([add(), add()])
        expect(runs).toBe(3)
        expect(await ids()).toEqual([1, 2])
      })

    it('sends the last statement together with COMMIT', async () => {
      const rows = await contract.db.transactionEndingWith(insert, async (tx) => {
        await tx.run(insert, 1)
        return 2
      })
      expect(rows).toEqual([{ id: 2 }])
      expect(await ids()).toEqual([1, 2])
    })

    it('rolls everything back when the last statement is refused', async () => {
      const thrown = await errorOf(
        contract.db.transactionEndingWith(insert, async (tx) => {
          await tx.run(insert, 1)
          return 1
        }),
      )
      expect(thrown).toMatchObject({ details: { sqlstate: '23505', statement: 'contract_tx_insert' } })
      expect(await ids()).toEqual([])
    })

    it('rolls everything back when the closure before the last statement throws', async () => {
      const mine = new Error('mine')
      const thrown = await errorOf(
        contract.db.transactionEndingWith(insert, async (tx) => {
          await tx.run(insert, 1)
          throw mine
        }),
      )
      expect(thrown).toBe(mine)
      expect(await ids()).toEqual([])
    })

    it('does not commit the last statement of a transaction that failed before', async () => {
      const thrown = await errorOf(
        contract.db.transactionEndingWith(insert, async (tx) => {
          await tx.run(insert, 1)
          await tx.run(insert, 1).catch(() => {})
          return 2
        }),
      )
      expect(sqlstateOf(thrown)).toBe('25P02')
      expect(await ids()).toEqual([])
    })
  })
}
