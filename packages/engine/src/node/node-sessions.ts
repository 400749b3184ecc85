import { type Clock, type Logger, sleep, Trouble } from '@lockstep/base'
import type { WantedState } from '../store/membership-store.ts'
import type { NodeSession } from './node-session.ts'

export interface NodeSessionsOptions {
  readonly clock: Clock
  readonly logger: Logger
  /** How long to wait before another incarnation is tried. */
  readonly heartbeatMs: number
  readonly make: (wanted: WantedState) => NodeSession
  /** Another incarnation has begun. */
  readonly onRejoined: () => void
}

/** The incarnations of one node, one after another. */
export class NodeSessions {
  readonly #o: NodeSessionsOptions
  #current: NodeSession
  /** Present while a buried session is followed by another. */
  #rejoining: Promise<void> | undefined
  #stopped = false

  constructor(options: NodeSessionsOptions) {
    this.#o = options
    this.#current = options.make('active')
  }

  /** The one that lives, or the last that did. */
  get current(): NodeSession {
    return this.#current
  }

  buried(): void {
    this.#rejoining ??= this.#rejoin()
  }

  /** No other one follows. */
  stop(): void {
    this.#stopped = true
  }

  async leave(drainMs: number): Promise<void> {
    await this.#rejoining // the session that it brings has a row and beats: that one leaves
    await this.#current.leave(drainMs)
  }

  /** Everything in memory is gone with the old incarnation; the new one starts with what the store has. One that is buried before it has begun is followed by another. */
  async #rejoin(): Promise<void> {
    const { clock, logger, heartbeatMs, make, onRejoined } = this.#o
    const trouble = new Trouble(logger, 'could not rejoin', 'could rejoin after all')
    while (!this.#stopped && this.#current.isOver) {
      const session = make(this.#current.duty.wanted)
      try {
        await session.begin()
        this.#current = session
        if (session.isOver) continue
        trouble.over()
        logger.info('rejoined as a new node', { nodeId: session.id })
        onRejoined()
      } catch (error) {
        trouble.failed(error)
        await sleep(clock, heartbeatMs)
      }
    }
    this.#rejoining = undefined
  }
}
