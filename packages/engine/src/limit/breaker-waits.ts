import { type Clock, errorMessage, type Logger } from '@lockstep/base'
import type { LimitStore, PermitName } from '../store/limit-store.ts'

const GATHER_MS = 100
const MOST = 500

type BreakerWait = Omit<PermitName, 'kind'> & { readonly inMs: number }

/** Notes who waits for a breaker, for those who ask why. Gathered; what is lost is only not told. */
export class BreakerWaits {
  readonly #store: Pick<LimitStore, 'noteBreakers'>
  readonly #clock: Clock
  readonly #logger: Logger
  #waits = new Map<string, BreakerWait>()

  constructor(store: Pick<LimitStore, 'noteBreakers'>, clock: Clock, logger: Logger) {
    this.#store = store
    this.#clock = clock
    this.#logger = logger
  }

  add(wait: BreakerWait): void {
    if (this.#waits.size === 0) this.#clock.schedule(GATHER_MS, () => this.#send())
    if (this.#waits.size < MOST) this.#waits.set(JSON.stringify([wait.instanceId, wait.step, wait.key]), wait)
  }

  #send(): void {
    const waits = [...this.#waits.values()]
    this.#waits = new Map()
    this.#store
      .noteBreakers(waits)
      .catch((error: unknown) => this.#logger.debug('waits for breakers not noted', { reason: errorMessage(error) }))
  }
}
