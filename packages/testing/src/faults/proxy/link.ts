import { connect, type Socket } from 'node:net'
import type { Clock } from '@lockstep/base'
import type { Dialogue, Inspector } from '../exchange/dialogue.ts'
import type { Counters } from './counters.ts'
import { hangUp } from './hang-up.ts'
import { Lane } from './lane.ts'
import type { Target } from './target.ts'
import type { Direction } from './valve.ts'

/** One client connection and the server connection made for it, as users of a proxy see it. */
export interface ProxyConnection {
  /** Counts from 1 in the order of acceptance. */
  readonly id: number
  readonly clientPort: number
  /** Ends both sides after flushing what was handed over; what waits in the proxy is lost. */
  cut(): void
  /** Ends both sides by RST. */
  reset(): void
}

export interface LinkParts {
  readonly id: number
  readonly client: Socket
  readonly target: Target
  readonly clock: Clock
  readonly counters: Counters
  /** Follows the protocol; absent, bytes pass unexamined. */
  readonly dialogue: ((link: Link) => Dialogue) | undefined
  /** Called once, when the link carries nothing any more. Its sockets may still be saying goodbye. */
  readonly over: (link: Link) => void
}

const unexamined: Inspector = { chunk: (bytes) => [{ bytes }], end: () => [] }

export class Link implements ProxyConnection {
  readonly id: number
  readonly clientPort: number
  readonly #parts: LinkParts
  readonly #client: Socket
  readonly #server: Socket
  readonly #lanes: Readonly<Record<Direction, Lane>>
  #over = false

  constructor(parts: LinkParts) {
    const { client, target, clock, counters } = parts
    this.id = parts.id
    this.clientPort = client.remotePort ?? 0
    this.#parts = parts
    this.#client = client
    this.#server = connect({ ...target, allowHalfOpen: true })
    const dialogue = parts.dialogue?.(this)
    this.#lanes = {
      requests: new Lane({
        direction: 'requests',
        source: this.#client,
        sink: this.#server,
        clock,
        inspector: dialogue?.requests ?? unexamined,
        forwarded: (count) => {
          counters.bytesUp += count
        },
      }),
      replies: new Lane({
        direction: 'replies',
        source: this.#server,
        sink: this.#client,
        clock,
        inspector: dialogue?.replies ?? unexamined,
        forwarded: (count) => {
          counters.bytesDown += count
        },
      }),
    }
    this.#watch()
  }

  get sockets(): readonly Socket[] {
    return [this.#client, this.#server]
  }

  lane(direction: Direction): Lane {
    return this.#lanes[direction]
  }

  /** Begins to carry bytes; faults that were there before it hold from the first one on. */
  open(): void {
    this.#lanes.requests.open()
    this.#lanes.replies.open()
  }

  cut(): void {
    if (!this.end()) return
    this.#parts.counters.cut++
    for (const socket of this.sockets) hangUp(socket)
  }

  reset(): void {
    if (!this.end()) return
    this.#parts.counters.resets++
    for (const socket of this.sockets) socket.resetAndDestroy()
  }

  /** Carries nothing any more and leaves the sockets to the caller; `false` when it was over already. */
  end(): boolean {
    if (this.#over) return false
    this.#over = true
    this.#lanes.requests.stop()
    this.#lanes.replies.stop()
    this.#parts.over(this)
    return true
  }

  #watch(): void {
    let reached = false
    this.#server.once('connect', () => {
      reached = true
    })
    this.#server.once('error', () => {
      if (!reached) this.#parts.counters.upstreamErrors++
    })
    for (const socket of this.sockets) {
      // A socket's death is told by its `close`; without a listener its `error` would end the process.
      socket.on('error', () => {})
      socket.setNoDelay(true)
      socket.once('close', () => {
        if (this.sockets.every((each) => each.closed)) this.end()
      })
    }
  }
}
