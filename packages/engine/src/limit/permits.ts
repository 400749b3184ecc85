/**
 * Asks the store for permits and gives them back: whatever gathers while one exchange is under way leaves with the next, so that many
 * steps under limits cost a few calls. A permit that cannot be given back now is given back later; one whose node is gone is free anyway.
 */
import { type Clock, errorMessage, type Logger, type Timer, Trouble } from '@lockstep/base'
import { Fenced } from '../store/errors.ts'
import type { LimitStore, PermitAnswer, PermitAsk, PermitEnd, PermitName } from '../store/limit-store.ts'

export interface PermitsOptions {
  readonly store: LimitStore
  readonly clock: Clock
  readonly logger: Logger
  readonly nodeId: () => string
  /** Their turn has come: they are due, and the counter of their stimuli was raised. */
  readonly onCalled: (instanceIds: readonly string[]) => void
}

interface Asking {
  readonly ask: PermitAsk
  readonly resolve: (answer: PermitAnswer) => void
}

const MOST_ASKS = 200
const MOST_ENDS = 500
const STORE_AWAY_MS = 1_000
/** How long a place is kept for one who was called. */
const PATIENCE_MS = 10_000
/** While somebody waits: permits of a dead node, and limits that were raised elsewhere, are nobody's to give away. */
const LOOK_AGAIN_MS = 2_000
const MOST_KEYS = 200
const NOBODY = '00000000-0000-0000-0000-000000000000'

export class Permits {
  readonly #o: PermitsOptions
  #asks: Asking[] = []
  #ends: PermitEnd[] = []
  #busy = false
  #scheduled = false
  #looking: Timer | undefined
  #stopped = false

  readonly #trouble: Trouble

  constructor(options: PermitsOptions) {
    this.#o = options
    this.#trouble = new Trouble(options.logger, 'permits not exchanged', 'permits are exchanged again')
  }

  /** A store that cannot be reached grants nothing, and says so soon. */
  ask(ask: PermitAsk): Promise<PermitAnswer> {
    return new Promise((resolve) => {
      this.#asks.push({ ask, resolve })
      this.#soon()
    })
  }

  /** Of a permit, or of a place in the line. */
  end(name: PermitName, back = false): void {
    const unsent = this.#asks.findIndex(({ ask }) => isSame(ask, name))
    // Ends are applied before asks: one that was not sent yet would come back to life.
    if (unsent >= 0) this.#asks.splice(unsent, 1)[0]!.resolve(notNow())
    const { tenant, kind, key, instanceId, step } = name
    this.#ends.push({ tenant, kind, key, instanceId, step, back })
    this.#soon()
  }

  /** Lets in, or calls, whoever may go now. */
  async lookAgain(): Promise<void> {
    const keys = await this.#o.store.waitedFor(MOST_KEYS)
    if (keys.length === 0) return
    this.#ends.push(...keys.map((name) => ({ ...name, instanceId: NOBODY, step: '', back: false })))
    this.#lookLater()
    this.#soon()
  }

  stop(): void {
    this.#stopped = true
    this.#looking?.cancel()
  }

  #soon(): void {
    if (this.#busy || this.#scheduled || this.#stopped) return
    this.#scheduled = true
    this.#o.clock.soon(() => {
      this.#scheduled = false
      void this.#exchange()
    })
  }

  async #exchange(): Promise<void> {
    if (this.#busy) return
    const asks = this.#asks.splice(0, MOST_ASKS)
    const ends = this.#ends.splice(0, MOST_ENDS)
    if (asks.length === 0 && ends.length === 0) return
    this.#busy = true
    try {
      const { answers, called } = await this.#o.store.exchange(
        this.#o.nodeId(),
        ends,
        asks.map(({ ask }) => ask),
        PATIENCE_MS,
      )
      this.#trouble.over()
      asks.forEach(({ resolve }, index) => {
        resolve(answers[index]!)
      })
      if (answers.some((answer) => !answer.granted)) this.#lookLater()
      if (called.length > 0) this.#o.onCalled(called)
    } catch (error) {
      for (const { resolve } of asks) resolve(notNow())
      await this.#failed(error, ends)
    } finally {
      this.#busy = false
    }
    if (this.#asks.length > 0 || this.#ends.length > 0) this.#soon()
  }

  /** What a buried node held is free. Everything else is given back when the store answers. */
  async #failed(error: unknown, ends: readonly PermitEnd[]): Promise<void> {
    if (Fenced.is(error)) return
    this.#trouble.failed(error)
    this.#ends.unshift(...ends)
    await new Promise<void>((resolve) => this.#o.clock.schedule(STORE_AWAY_MS, resolve))
  }

  #lookLater(): void {
    if (this.#looking !== undefined || this.#stopped) return
    this.#looking = this.#o.clock.schedule(LOOK_AGAIN_MS, () => {
      this.#looking = undefined
      this.lookAgain().catch((error: unknown) => {
        this.#o.logger.warn('lines not looked at', { reason: errorMessage(error) })
        this.#lookLater()
      })
    })
  }
}

const notNow = (): PermitAnswer => ({ granted: false, ahead: 0, waitedMs: 0, waitsMs: STORE_AWAY_MS })

const isSame = (a: PermitName, b: PermitName): boolean =>
  a.instanceId === b.instanceId && a.step === b.step && a.key === b.key && a.kind === b.kind && a.tenant === b.tenant
