/**
 * Requests that carry an `Idempotency-Key`: the first one runs, and its answer is kept for a day; the same request again gets the same
 * answer. What was refused is not kept: it changed nothing, and may be mended and sent again. A node that dies before it could
 * keep the answer leaves the key taken for a while; then the request may run again, as it might without a key. What it does then can be told
 * from another day's by the name that is handed to it.
 */
import { errorMessage, hashJson, type Json, type Logger } from '@lockstep/base'
import type { IdempotencyStore, KeyedRequest } from '@lockstep/engine/ports'
import { IdempotencyInProgress, IdempotencyKeyReused } from '../problem/request-errors.ts'
import { toProblem } from '../problem/to-problem.ts'
import type { Answer } from '../route/answer.ts'
import { LONGEST_WAIT_MS } from './wait.ts'

const KEEP_MS = 86_400_000
/** Longer than any request may take. */
const HOLD_MS = LONGEST_WAIT_MS + 30_000

export interface IdempotencyOptions {
  readonly store: IdempotencyStore
  readonly newToken: () => string
  readonly logger: Logger
}

export class Idempotency {
  readonly #o: IdempotencyOptions

  constructor(options: IdempotencyOptions) {
    this.#o = options
  }

  /** `said`: everything that makes two requests the same one. `once` names this request for a day: the same for each attempt of it, and for no other. */
  async run(
    named: { readonly tenant: string; readonly operation: string; readonly key: string },
    said: unknown,
    execute: (once: string) => Promise<Answer>,
  ): Promise<{ readonly answer: Answer; readonly replayed: boolean }> {
    const { store, newToken } = this.#o
    const request = { ...named, fingerprint: fingerprintOf(said), token: newToken() }
    const verdict = await store.begin(request, HOLD_MS, KEEP_MS)
    switch (verdict.kind) {
      case 'answered':
        return { answer: JSON.parse(verdict.answer.answer) as Answer, replayed: true }
      case 'in-progress':
        throw new IdempotencyInProgress({ key: named.key, forMs: verdict.forMs })
      case 'other-request':
        throw new IdempotencyKeyReused({ key: named.key })
      case 'begun':
        return { answer: await this.#begun(request, () => execute(onceOf(request, verdict.day))), replayed: false }
    }
  }

  async #begun(request: KeyedRequest, execute: () => Promise<Answer>): Promise<Answer> {
    const { store, logger } = this.#o
    const warn = (message: string) => (error: unknown) =>
      logger.warn(message, { operation: request.operation, reason: errorMessage(error) })
    let answer: Answer
    try {
      answer = await execute()
    } catch (error) {
      const givenBack = isRefusal(error) ? store.abandon(request) : store.release(request)
      await givenBack.catch(warn('an idempotency key could not be given back'))
      throw error
    }
    // What was done is done: the caller hears of it even when its answer cannot be kept.
    await store
      .finish(request, { status: answer.status, answer: JSON.stringify(answer) })
      .catch(warn('the answer to a request with an idempotency key could not be kept'))
    return answer
  }
}

/** Who is told no has changed nothing; behind a failure anything may have happened. */
const isRefusal = (error: unknown): boolean => toProblem(error).status < 500

/** The operation has its caller in it. */
const onceOf = ({ operation, key }: KeyedRequest, day: string): string => hashJson([operation, key, day])

/** As JSON carries it: members that are `undefined` say nothing. */
function fingerprintOf(said: unknown): string {
  return hashJson(JSON.parse(JSON.stringify(said)) as Json)
}
