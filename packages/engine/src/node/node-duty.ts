import { type Clock, errorMessage, type Logger } from '@lockstep/base'
import type { NodeState, WantedState } from '../store/membership-store.ts'
import type { Worker } from '../worker/worker.ts'

export interface NodeDutyOptions {
  readonly worker: Pick<Worker, 'cordon' | 'uncordon' | 'handBack'>
  readonly clock: Clock
  readonly logger: Logger
  /** How long running steps may go on when the node is drained. */
  readonly drainMs: number
  /** It is told to the others, and to whoever else takes part in the work of this node. */
  readonly onState: (state: NodeState) => void
}

/** What a node does with what operators want of it. Hearing the same again changes nothing. */
export class NodeDuty {
  readonly #o: NodeDutyOptions
  #state: NodeState = 'active'
  #wanted: WantedState = 'active'

  constructor(options: NodeDutyOptions) {
    this.#o = options
  }

  get state(): NodeState {
    return this.#state
  }

  get wanted(): WantedState {
    return this.#wanted
  }

  heed(wanted: WantedState): void {
    // A drain that failed is tried again with the next beat.
    const isDone = wanted !== 'drained' || this.#state === 'draining' || this.#state === 'drained'
    if (wanted === this.#wanted && isDone) return
    this.#wanted = wanted
    this.#o.logger.info('told by an operator', { wanted })
    const { worker } = this.#o
    if (wanted === 'drained') void this.drain()
    else {
      worker.uncordon()
      if (wanted === 'cordoned') worker.cordon()
      this.#enter(wanted)
    }
  }

  /** Settles when nothing is in hand any more, or the time was over, or another order came. */
  async drain(drainMs: number = this.#o.drainMs): Promise<void> {
    const { worker, clock, logger } = this.#o
    this.#wanted = 'drained'
    this.#enter('draining')
    const since = clock.monotonic()
    try {
      if (!(await worker.handBack(drainMs))) return
      this.#enter('drained')
      logger.info('drained', { tookMs: Math.round(clock.monotonic() - since) })
    } catch (error) {
      logger.warn('not all was handed back yet', { reason: errorMessage(error) })
      if (this.#wanted === 'drained') this.#enter('cordoned')
    }
  }

  #enter(state: NodeState): void {
    if (this.#state === state) return
    this.#state = state
    this.#o.onState(state)
  }
}
