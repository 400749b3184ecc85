import type { Socket } from 'node:net'
import type { Clock, Timer } from '@lockstep/base'
import type { Inspector, Passage } from '../exchange/dialogue.ts'
import type { Direction, Valve } from './valve.ts'

/** Above this a lane stops reading from its sender. Large enough that latency does not turn into a rate limit. */
const HIGH_WATER_BYTES = 1 << 20

export interface LaneParts {
  readonly direction: Direction
  readonly source: Socket
  readonly sink: Socket
  readonly clock: Clock
  readonly inspector: Inspector
  /** Told about every byte handed over. */
  readonly forwarded: (count: number) => void
}

interface Item {
  readonly dueAt: number
  readonly act?: () => void
  bytes: Buffer
}

const NOTHING = Buffer.alloc(0)

/**
 * One direction of one connection: a queue between two sockets. Everything the sender does, closing and dying included,
 * is an item of the queue, so that order survives any mix of faults. Each item is due when the delays of its arrival
 * have passed; then the valves say how much of it goes.
 */
export class Lane {
  readonly direction: Direction
  readonly #parts: LaneParts
  readonly #valves = new Set<Valve>()
  readonly #queue: Item[] = []
  #queuedBytes = 0
  #timer: Timer | undefined
  #opened = false
  #stopped = false
  #pumping = false

  constructor(parts: LaneParts) {
    this.direction = parts.direction
    this.#parts = parts
  }

  /** Begins to carry bytes. Valves attached before hold from the first byte on. */
  open(): void {
    const { source, sink, inspector } = this.#parts
    source.on('data', (bytes: Buffer) => {
      if (!this.#stopped) this.#enqueue(inspector.chunk(bytes))
    })
    source.on('end', () => {
      if (!this.#stopped) this.#enqueue([...inspector.end(), { act: () => this.#finish() }])
    })
    source.on('close', () => {
      if (!this.#stopped && !source.readableEnded) this.#enqueue([{ act: () => this.#abort() }])
    })
    sink.on('drain', () => this.#pump())
    this.#opened = true
    this.#regulate()
  }

  /** Puts a valve on the lane; the returned function takes it off and lets what it held go on. */
  attach(valve: Valve): () => void {
    this.#valves.add(valve)
    this.#regulate()
    return () => {
      this.#valves.delete(valve)
      this.#pump()
    }
  }

  /** Carries nothing any more: what is queued is dropped, what still comes is discarded. */
  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    this.#timer = undefined
    this.#queue.length = 0
    this.#queuedBytes = 0
    this.#valves.clear()
  }

  #enqueue(passages: readonly Passage[]): void {
    // Looking at the bytes may have ended the connection.
    if (this.#stopped || passages.length === 0) return
    const now = this.#parts.clock.monotonic()
    let delayMs = 0
    for (const valve of this.#valves) delayMs += valve.delayMs?.() ?? 0
    for (const passage of passages) {
      const dueAt = now + delayMs + (passage.delayMs ?? 0)
      if (passage.act) this.#queue.push({ dueAt, bytes: NOTHING, act: passage.act })
      else if (passage.bytes.length > 0) this.#queue.push({ dueAt, bytes: passage.bytes })
      this.#queuedBytes += passage.bytes?.length ?? 0
    }
    this.#pump()
  }

  #pump(): void {
    // An act may end the connection or lift a fault, and so come back here.
    if (this.#pumping) return
    this.#pumping = true
    try {
      this.#timer?.cancel()
      this.#timer = undefined
      while (this.#step()) {}
    } finally {
      this.#pumping = false
    }
    this.#regulate()
  }

  /** Moves the head of the queue on; `false` when it has to wait. */
  #step(): boolean {
    const head = this.#queue[0]
    if (head === undefined || this.#isShut()) return false
    if (this.#waitFor(head.dueAt - this.#parts.clock.monotonic())) return false
    if (head.act) {
      this.#queue.shift()
      head.act()
      return true
    }
    if (this.#parts.sink.destroyed) {
      this.stop()
      this.#parts.source.destroy()
      return false
    }
    if (this.#parts.sink.writableNeedDrain) return false
    const count = this.#admitted(head.bytes.length)
    if (count === 0) return false
    const part = head.bytes.subarray(0, count)
    if (count === head.bytes.length) this.#queue.shift()
    else head.bytes = head.bytes.subarray(count)
    this.#queuedBytes -= count
    this.#deliver(part)
    return true
  }

  #admitted(wanted: number): number {
    let count = wanted
    for (const valve of this.#valves) {
      const admission = valve.admit?.(count) ?? count
      if (typeof admission === 'number') count = Math.min(count, admission)
      else if (this.#waitFor(admission.retryInMs)) return 0
    }
    return count
  }

  #deliver(bytes: Buffer): void {
    if (this.#swallowed(bytes.length)) return
    this.#parts.sink.write(bytes)
    this.#parts.forwarded(bytes.length)
    for (const valve of [...this.#valves]) valve.passed?.(bytes.length)
  }

  #finish(): void {
    if (!this.#swallowed(0)) this.#parts.sink.end()
  }

  /** The sender died without a goodbye: so does the receiver's side. */
  #abort(): void {
    if (!this.#swallowed(0)) this.#parts.sink.resetAndDestroy()
  }

  #swallowed(count: number): boolean {
    for (const valve of this.#valves) {
      if (valve.swallow) {
        valve.swallow(count)
        return true
      }
    }
    return false
  }

  #waitFor(ms: number): boolean {
    if (ms <= 0) return false
    this.#timer?.cancel()
    this.#timer = this.#parts.clock.schedule(ms, () => this.#pump(), { keepAlive: true })
    return true
  }

  #isShut(): boolean {
    for (const valve of this.#valves) if (valve.shut) return true
    return false
  }

  #regulate(): void {
    if (this.#stopped || !this.#opened) return
    if (this.#isShut() || this.#queuedBytes >= HIGH_WATER_BYTES) this.#parts.source.pause()
    else this.#parts.source.resume()
  }
}
