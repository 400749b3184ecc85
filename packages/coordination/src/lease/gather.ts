import type { Clock } from '@lockstep/base'
import { ProviderUnavailable } from '../errors.ts'
import type { Answers } from './lease-provider.ts'
import { Traffic } from './traffic.ts'

/** One request of a call that carries many. Exactly one of the two is called, once. */
export interface Asking<Request, Answer> {
  readonly request: Request
  /** `at`: the store's moment. `sentAt`: the local moment just before the call left. */
  answered(answer: Answer, at: number, sentAt: number): void
  failed(error: unknown): void
}

const MOST_PER_CALL = 1_000
/** Calls under way at once before what is asked waits for the event loop to come round. */
const CALLS = 2
/** Microtasks to let pass before the call leaves: a crowd that one reply woke asks again within a few of them. */
const TURNS = 4
/** Cheaper than `queueMicrotask`, which makes an asynchronous resource for each. */
const settled = Promise.resolve()

/**
 * Gathers what is asked in one tick into one call of the store. Alone, a request leaves in the same tick, before any
 * timer or socket has a turn. While a call is under way the next one gathers until the event loop comes round.
 */
export class Gather<Request, Answer> {
  readonly #clock: Clock
  readonly #now: () => number
  readonly #send: (requests: readonly Request[]) => Promise<Answers<Answer>>
  readonly #traffic: Traffic
  #asking: Asking<Request, Answer>[] = []
  #turns = 0
  #underWay = 0
  #onIdle: (() => void)[] = []

  constructor(
    clock: Clock,
    now: () => number,
    send: (requests: readonly Request[]) => Promise<Answers<Answer>>,
    traffic = new Traffic(clock),
  ) {
    this.#clock = clock
    this.#now = now
    this.#send = send
    this.#traffic = traffic
  }

  ask(asking: Asking<Request, Answer>): void {
    if (this.#asking.push(asking) > 1) return
    if (this.#traffic.calls >= CALLS) this.#clock.soon(this.#flush)
    else {
      this.#turns = TURNS
      void settled.then(this.#turn)
    }
  }

  /** Resolves when nothing is asked and nothing under way. */
  async idle(): Promise<void> {
    while (this.#asking.length > 0 || this.#underWay > 0) {
      await new Promise<void>((resolve) => this.#onIdle.push(resolve))
    }
  }

  readonly #turn = (): void => {
    this.#turns -= 1
    if (this.#turns > 0) void settled.then(this.#turn)
    else this.#flush()
  }

  readonly #flush = (): void => {
    const all = this.#asking
    this.#asking = []
    const size = Math.min(MOST_PER_CALL, Math.ceil(all.length / this.#traffic.parts(all.length)))
    for (let from = 0; from < all.length; from += size) {
      void this.#call(all.length <= size ? all : all.slice(from, from + size))
    }
  }

  async #call(batch: readonly Asking<Request, Answer>[]): Promise<void> {
    this.#underWay += 1
    this.#traffic.begin()
    const sentAt = this.#now()
    let reply: Answers<Answer>
    try {
      reply = await this.#send(batch.map((each) => each.request))
    } catch (error) {
      return this.#traffic.end(batch.length, () => {
        this.#underWay -= 1
        for (const each of batch) each.failed(error)
        this.#tellIdle()
      })
    }
    this.#traffic.end(batch.length, () => {
      this.#underWay -= 1
      batch.forEach((each, index) => {
        const answer = reply.answers[index]
        if (answer !== undefined) each.answered(answer, reply.at, sentAt)
        else each.failed(new ProviderUnavailable({ provider: 'the store', doing: 'it left a request unanswered' }))
      })
      this.#tellIdle()
    })
  }

  #tellIdle(): void {
    if (this.#onIdle.length === 0 || this.#underWay > 0 || this.#asking.length > 0) return
    for (const idle of this.#onIdle.splice(0)) idle()
  }
}
