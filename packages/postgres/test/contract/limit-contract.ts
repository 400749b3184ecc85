import { deferred } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { CommitUnknown, DatabaseBusy, DatabaseTimeout, statement } from '../../src/index.ts'
import type { Contract } from '../db-contract.ts'
import { errorOf } from '../open-test-database.ts'

const slowRead = statement<number>('contract_slow_read', (seconds) => [seconds], 'select pg_sleep($1)', {
  readOnly: true,
})
const slowWrite = statement<number>('contract_slow_write', (seconds) => [seconds], 'select pg_sleep($1)')
const one = statement<undefined, { one: number }>('contract_one', () => [], 'select 1 as one', { readOnly: true })

export function limitContract(contract: Contract): void {
  describe('limits', () => {
    it('gives up on a read that takes too long, and later callers are served', async () => {
      await using db = await contract.open({ statementTimeoutMs: 1_000, acquireTimeoutMs: 60_000 })
      expect(DatabaseTimeout.is(await errorOf(db.run(slowRead, 2.5)))).toBe(true)
      expect(await db.one(one)).toEqual({ one: 1 })
    })

    it('says of a write that took too long what is known of it', async () => {
      await using db = await contract.open({ statementTimeoutMs: 1_000, acquireTimeoutMs: 60_000 })
      const error = await errorOf(db.run(slowWrite, 2.5))
      const isInterrupted = contract.missing.interruptedStatements === undefined
      expect((isInterrupted ? DatabaseTimeout : CommitUnknown).is(error)).toBe(true)
      expect(await db.one(one)).toEqual({ one: 1 })
    })

    it('lets a transaction set its own limit', async () => {
      await using db = await contract.open({ statementTimeoutMs: 1_000, acquireTimeoutMs: 60_000 })
      await db.transaction((tx) => tx.run(slowWrite, 1.5), { statementTimeoutMs: 60_000 })
      const error = await errorOf(
        contract.db.transaction((tx) => tx.run(slowWrite, 5), { statementTimeoutMs: 100, attempts: 1 }),
      )
      expect(DatabaseTimeout.is(error)).toBe(true)
    })

    it('rolls back a transaction that does nothing for too long, and frees what it held', async () => {
      await using db = await contract.open({ idleInTransactionMs: 150, acquireTimeoutMs: 60_000 })
      await db.script('create table if not exists idled (id int4); truncate idled')
      const never = deferred<void>()
      const error = await errorOf(
        db.transaction(async (tx) => {
          await tx.script('insert into idled values (1)')
          await never.promise
        }),
      )
      expect(DatabaseTimeout.is(error)).toBe(true)
      await db.script('alter table idled add column if not exists more int4')
      expect(await db.many(statement('contract_idled', () => [], 'select id from idled', { readOnly: true }))).toEqual(
        [],
      )
    })

    it('does not take a transaction for idle while its statement runs', async () => {
      await using db = await contract.open({ idleInTransactionMs: 600, acquireTimeoutMs: 60_000 })
      await db.transaction(async (tx) => {
        await tx.run(slowRead, 0.8)
        await tx.run(slowRead, 0.8)
      })
    })

    it('turns callers away when every connection is taken for too long', async () => {
      await using db = await contract.open({ acquireTimeoutMs: 500, idleInTransactionMs: 60_000 })
      const finish = deferred<void>()
      const holders: Promise<unknown>[] = []
      let turnedAway: unknown
      while (turnedAway === undefined) {
        holders.push(db.transaction(() => finish.promise).catch(() => {}))
        await db.one(one).catch((error: unknown) => {
          turnedAway = error
        })
      }
      expect(DatabaseBusy.is(turnedAway)).toBe(true)
      finish.resolve()
      await Promise.all(holders)
      expect(await db.one(one)).toEqual({ one: 1 })
    })

    it('serves single statements and transactions side by side', async () => {
      await contract.db.script('create table mixed (id int4 primary key)')
      const put = statement<number>('contract_mixed', (id) => [id], 'insert into mixed (id) values ($1)')
      const work = Array.from({ length: 400 }, (_, id) => {
        if (id % 4 === 0) return contract.db.transaction((tx) => tx.run(put, id))
        if (id % 4 === 1) return contract.db.transactionEndingWith(put, async () => id)
        return contract.db.run(put, id % 4 === 2 ? id : id - 1)
      })
      const refused = (await Promise.allSettled(work)).filter((result) => result.status === 'rejected')
      expect(refused).toHaveLength(100)
      const total = statement<undefined, { total: number }>(
        'contract_mixed_total',
        () => [],
        'select count(*)::int4 as total from mixed',
      )
      expect(await contract.db.one(total)).toEqual({ total: 300 })
    })

    it('serves more callers than connections, each in its turn', async () => {
      const results = await Promise.all(Array.from({ length: 1_000 }, () => contract.db.one(one)))
      expect(results).toHaveLength(1_000)
    })
  })
}
