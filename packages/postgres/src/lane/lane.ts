import { type Clock, type Random, sleep } from '@lockstep/base'
import { backoffMs } from '../connection/backoff.ts'
import { Broken } from '../connection/broken.ts'
import { isStalePreparation, outcomeOf } from '../connection/outcome.ts'
import type { Reply, Request } from '../connection/request.ts'
import type { Lane, TransactionOptions } from '../db/db.ts'
import type { DbMeter } from '../db/db-meter.ts'
import { sqlstateOf } from '../db/errors.ts'
import type { Pool } from './pool.ts'
import { type Preparation, queriesOver, toRequest } from './requests.ts'
import { Transaction } from './transaction.ts'

export interface LaneSettings {
  readonly clock: Clock
  readonly random: Random
  readonly preparation: Preparation
  readonly idleInTransactionMs: number
  readonly meter?: DbMeter | undefined
}

const MOST_ATTEMPTS = 5
/** Serialisation failure and deadlock: the server undid everything and asks for another try. */
const DEADLOCK = '40P01'
const tryAgain = new Set(['40001', DEADLOCK])

export function laneOver(pool: Pool, settings: LaneSettings): Lane {
  const { preparation, clock, random, meter } = settings

  /** A statement outside any transaction is its own commit: when its answer is lost, so is the knowledge of it. */
  const single = async (request: Request, { readOnly }: { readonly readOnly: boolean }): Promise<Reply> => {
    const began = meter === undefined ? 0 : clock.monotonic()
    try {
      const reply = await submit(pool, request)
      meter?.statement(clock.monotonic() - began)
      return reply
    } catch (error) {
      if (sqlstateOf(error) === DEADLOCK) meter?.deadlock()
      throw outcomeOf(error, request.name, readOnly ? 'rolled-back' : 'unknown')
    }
  }

  const attempt = async <T>(
    options: TransactionOptions,
    perform: (tx: Transaction) => Promise<T>,
  ): Promise<Attempt<T>> => {
    const connection = await pool.acquire('transaction')
    const transaction = new Transaction(connection, settings, options)
    let hasBegun = false
    try {
      await transaction.begin(options)
      hasBegun = true
      return { done: true, value: await perform(transaction) }
    } catch (error) {
      await transaction.rollback()
      const sqlstates = [error, transaction.failure].map((each) => sqlstateOf(each) ?? '')
      if (sqlstates.includes(DEADLOCK)) meter?.deadlock()
      // A connection that died while nobody used it is found out by the BEGIN: nothing has been done yet.
      const wasDead = !hasBegun && connection.broken?.kind === 'lost'
      const canRetry = wasDead || connection.isStale || sqlstates.some((state) => tryAgain.has(state))
      return { done: false, error, canRetry }
    } finally {
      pool.release(connection)
    }
  }

  const inTransaction = async <T>(
    options: TransactionOptions,
    perform: (tx: Transaction) => Promise<T>,
  ): Promise<T> => {
    const { attempts = MOST_ATTEMPTS } = options
    for (let count = 1; ; count++) {
      const result = await attempt(options, perform)
      if (result.done) return result.value
      if (!result.canRetry || count >= attempts) throw result.error
      await sleep(clock, backoffMs(count, random))
    }
  }

  return {
    ...queriesOver(single, preparation),
    transaction: (work, options = {}) =>
      inTransaction(options, async (transaction) => {
        const value = await transaction.perform(work)
        await transaction.commit()
        return value
      }),
    transactionEndingWith: (last, work, options = {}) =>
      inTransaction(options, async (transaction) => {
        const params = await transaction.perform(work)
        const reply = await transaction.commitWith(toRequest(last, params, preparation))
        return reply.rows as RowsOf<typeof last>
      }),
  }
}

async function submit(pool: Pool, request: Request): Promise<Reply> {
  // A script could leave a transaction open or wait for long: it never shares a connection.
  if (request.values === undefined) return runAlone(pool, request)
  try {
    return await pool.submit(request)
  } catch (error) {
    if (!isStalePreparation(error)) throw error
    const { name, text, values } = request
    return pool.submit({ name, text, values })
  }
}

/** Runs a text on a connection of its own, and never gives one back that is still inside a transaction. */
export async function runAlone(pool: Pool, request: Request, limitMs?: number): Promise<Reply> {
  const connection = await pool.acquire(request.name)
  try {
    const reply = await connection.send(request, limitMs)
    if (!connection.isOutsideTransaction) connection.destroy(new Broken('lost', 'a script left a transaction open'))
    return reply
  } finally {
    pool.release(connection)
  }
}

type RowsOf<S> = S extends { readonly row?: infer R } ? R[] : never

type Attempt<T> =
  | { readonly done: true; readonly value: T }
  | { readonly done: false; readonly error: unknown; readonly canRetry: boolean }
