import { describe, expect, it } from 'vitest'
import { DatabaseClosed, statement } from '../../src/index.ts'
import type { Contract } from '../db-contract.ts'
import { errorOf } from '../open-test-database.ts'
import { recorder } from './listen-contract.ts'

const one = statement<undefined, { one: number }>('contract_connection_one', () => [], 'select 1 as one', {
  readOnly: true,
})
const slow = statement<undefined, { one: number }>(
  'contract_connection_slow',
  () => [],
  'select 1 as one from pg_sleep(0.2)',
  { readOnly: true },
)

export function connectionContract(contract: Contract): void {
  describe('connections', () => {
    it('lets a check run on each new connection before anything else does', async () => {
      const seen: number[] = []
      const db = await contract.open({
        async onConnect(queries) {
          seen.push((await queries.one(one)).one)
        },
      })
      await Promise.all(Array.from({ length: 10 }, () => db.one(slow)))
      await db.close()
      expect(seen.length).toBeGreaterThanOrEqual(1)
      expect(new Set(seen)).toEqual(new Set([1]))
    })

    it('never uses a connection whose check failed, and hands its error on as it is', async () => {
      const mine = new Error('rewound')
      let isRewound = false
      const onConnect = async (): Promise<void> => {
        if (isRewound) throw mine
      }
      const db = await contract.open({ onConnect, idleInTransactionMs: 50 })
      isRewound = true
      // Loses the connections there are, in the one way that every driver has.
      await errorOf(db.lane('api').transaction(() => new Promise(() => {}), { attempts: 1 }))
      expect(await errorOf(db.lane('api').one(one))).toBe(mine)
      isRewound = false
      expect(await db.lane('api').one(one)).toEqual({ one: 1 })
      await db.close()
    })

    it('answers what is under way before it closes, and refuses what comes later', async () => {
      const db = await contract.open()
      const running = db.one(slow)
      await Promise.all([db.close(), db.close()])
      expect(await running).toEqual({ one: 1 })
      for (const late of [
        db.one(one),
        db.transaction((tx) => tx.one(one)),
        db.script('select 1'),
        db.ping(),
        db.listen('late', recorder()),
      ]) {
        expect(DatabaseClosed.is(await errorOf(late))).toBe(true)
      }
    })
  })
}
