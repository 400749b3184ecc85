/**
 * Requests that wait for the answer of the workflow they started. The answer is a fact of the instance's journal, whichever node writes it. Told
 * by that node they look at once; should the word get lost they look anyway, a little later.
 */
import { type Clock, deferred, type Json } from '@lockstep/base'
import type { TriggerStore } from '../store/trigger-store.ts'

export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
}

export type AnswerOutcome =
  | { readonly kind: 'answered'; readonly answer: HttpAnswer }
  /** It ended without one, or the time was over. `status` is that of the instance. */
  | { readonly kind: 'unanswered'; readonly status: string }

const FIRST_LOOK_MS = 100
const LONGEST_LOOK_MS = 1_000

export class HttpAnswers {
  readonly #triggers: TriggerStore
  readonly #clock: Clock
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(triggers: TriggerStore, clock: Clock) {
    this.#triggers = triggers
    this.#clock = clock
  }

  /** There may be an answer, or an end without one. */
  tell(instanceId: string): void {
    for (const wake of this.#waiting.get(instanceId) ?? []) wake()
  }

  async wait(tenant: string, instanceId: string, limitMs: number, signal?: AbortSignal): Promise<AnswerOutcome> {
    const deadline = this.#clock.monotonic() + limitMs
    let seq = 0
    let status = 'queued'
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(LONGEST_LOOK_MS, pauseMs * 2)) {
      // Registered before the look: what is said between the look and the wait is heard.
      using told = this.#register(instanceId)
      const look = await this.#triggers.answer(tenant, instanceId, seq)
      if (look?.answer !== undefined && look.answer !== null)
        return { kind: 'answered', answer: look.answer as unknown as HttpAnswer }
      status = look?.status ?? status
      seq = look?.seq ?? seq
      const leftMs = deadline - this.#clock.monotonic()
      if (look?.ended || leftMs <= 0 || signal?.aborted) return { kind: 'unanswered', status }
      await told.within(Math.min(pauseMs, leftMs), signal)
    }
  }

  #register(instanceId: string): Disposable & { within(ms: number, signal?: AbortSignal): Promise<void> } {
    const { promise, resolve } = deferred<void>()
    const wake = (): void => resolve()
    const waiting = this.#waiting.get(instanceId) ?? new Set()
    waiting.add(wake)
    this.#waiting.set(instanceId, waiting)
    return {
      within: async (ms, signal) => {
        const timer = this.#clock.schedule(ms, wake, { keepAlive: true })
        signal?.addEventListener('abort', wake, { once: true })
        await promise
        timer.cancel()
        signal?.removeEventListener('abort', wake)
      },
      [Symbol.dispose]: () => {
        waiting.delete(wake)
        if (waiting.size === 0 && this.#waiting.get(instanceId) === waiting) this.#waiting.delete(instanceId)
      },
    }
  }
}
