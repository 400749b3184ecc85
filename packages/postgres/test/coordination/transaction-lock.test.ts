import { LockTimeout, StaleFence } from '@lockstep/coordination'
import { cloneDatabase } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { advisoryKey } from '../../src/coordination/transaction-lock.ts'
import { type Db, fenceGuard, statement, withTransactionLock } from '../../src/index.ts'
import { openSession, type Session, watchLocks } from '../engine/scripted-sessions.ts'
import { errorOf, openTestPostgres } from '../open-test-database.ts'
import { migratedPglite } from './open-coordination.ts'

const note = statement<{ text: string }>('test_note', (p) => [p.text], 'insert into note (text) values ($1)')
const notes = statement<undefined, { text: string }>('test_notes', () => [], 'select text from note order by text')
const lockTimeout = statement<undefined, { value: string }>(
  'test_lock_timeout',
  () => [],
  `select current_setting('lock_timeout') as value`,
)

let url: string
let db: Db
let other: Session
let watcher: Session
let drop: () => Promise<void>
beforeAll(async () => {
  const cloned = await cloneDatabase(inject('postgres'))
  ;({ url } = cloned)
  drop = () => cloned.drop()
  db = await openTestPostgres(url)
  ;[other, watcher] = [await openSession(url, db.schema), await openSession(url, db.schema)]
  await db.script('create table note (text text)')
})
afterAll(async () => {
  await other?.close()
  await watcher?.close()
  await db?.close()
  await drop?.()
})

const holdElsewhere = async (name: string): Promise<void> => {
  await other.begin()
  await other.query('select pg_advisory_xact_lock($1)', [advisoryKey(name)])
}

describe('withTransactionLock', () => {
  it('waits for another transaction, and runs when that has ended', async () => {
    await holdElsewhere('orders')
    const work = db.transaction((tx) => withTransactionLock(tx, 'orders', async () => 'done'))
    await watchLocks(watcher).untilSomebodyWaitsFor(other)
    await other.commit()
    expect(await work).toBe('done')
  })

  it('holds until the transaction ends, not until the work does', async () => {
    await db.transaction(async (tx) => {
      await withTransactionLock(tx, 'orders', () => {})
      expect(await other.query('select pg_try_advisory_lock($1) as got', [advisoryKey('orders')])).toEqual([
        { got: false },
      ])
    })
    await other.query('select pg_advisory_lock($1), pg_advisory_unlock($1)', [advisoryKey('orders')])
  })

  it.each([0, 50, undefined])(
    'gives up after waitMs %s and leaves the transaction and its limits as they were',
    async (waitMs) => {
      await using impatient = await openTestPostgres(url, { lockTimeoutMs: 100 })
      await impatient.script('truncate note')
      await holdElsewhere('orders')
      let ran = false
      await impatient.transaction(async (tx) => {
        await tx.run(note, { text: 'before' })
        const work = withTransactionLock(
          tx,
          'orders',
          () => {
            ran = true
          },
          waitMs === undefined ? {} : { waitMs },
        )
        expect(await errorOf(work)).toSatisfy(LockTimeout.is)
        expect(await tx.one(lockTimeout)).toEqual({ value: '100ms' })
        await tx.run(note, { text: 'after' })
      })
      await other.commit()
      expect(ran).toBe(false)
      expect(await impatient.many(notes)).toEqual([{ text: 'after' }, { text: 'before' }])
    },
  )

  it('leaves the limits as they were when it got the lock', async () => {
    await using patient = await openTestPostgres(url, { lockTimeoutMs: 1_234 })
    await patient.transaction(async (tx) => {
      await withTransactionLock(tx, 'orders', () => {}, { waitMs: 50 })
      expect(await tx.one(lockTimeout)).toEqual({ value: '1234ms' })
    })
  })

  it('refuses a wait that is no time', async () => {
    for (const waitMs of [-1, Number.NaN, 1e12])
      await expect(
        db.transaction((tx) => withTransactionLock(tx, 'orders', () => {}, { waitMs })),
      ).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  })

  it('keeps names apart by 64 bits, the same in every process', () => {
    const keys = new Set(Array.from({ length: 10_000 }, (_, i) => advisoryKey(`name ${i}`)))
    expect(keys.size).toBe(10_000)
    expect(advisoryKey('orders')).toBe(advisoryKey('orders'))
    expect([...keys].some((key) => key > 2n ** 40n || key < -(2n ** 40n))).toBe(true)
  })

  it('works embedded, where transactions run one after the other anyway', async () => {
    const embedded = await migratedPglite()
    expect(await embedded.transaction((tx) => withTransactionLock(tx, 'orders', () => 'done', { waitMs: 10 }))).toBe(
      'done',
    )
    await embedded.close()
  })
})

describe('fenceGuard', () => {
  it('rolls back everything that a late holder wrote in its transaction', async () => {
    await db.script('truncate note')
    await db.transaction((tx) => fenceGuard(tx, { resource: 'report', fence: 9n }))
    const error = await errorOf(
      db.transaction(async (tx) => {
        await tx.run(note, { text: 'late' })
        await fenceGuard(tx, { resource: 'report', fence: 8n })
      }),
    )
    expect(StaleFence.is(error) && error.details).toEqual({ resource: 'report', fence: 8n, seen: 9n })
    expect(await db.many(notes)).toEqual([])
  })

  it('makes a late holder wait for a newer one under way, and then refuses it', async () => {
    await other.begin()
    await other.query(`insert into fence_guard values ('stock', 20, now())`)
    const late = errorOf(db.transaction((tx) => fenceGuard(tx, { resource: 'stock', fence: 19n })))
    await watchLocks(watcher).untilSomebodyWaitsFor(other)
    await other.commit()
    expect(await late).toSatisfy(StaleFence.is)
  })

  it('forgets the guard of a transaction that was rolled back', async () => {
    await errorOf(
      db.transaction(async (tx) => {
        await fenceGuard(tx, { resource: 'ledger', fence: 50n })
        throw new Error('no')
      }),
    )
    await db.transaction((tx) => fenceGuard(tx, { resource: 'ledger', fence: 49n }))
  })
})
