import { InvalidOption } from '@lockstep/base'
import type { MonitorEvent } from './monitor-event.ts'

/** An event as it is told, before its time is added. */
export type ToldEvent = MonitorEvent extends infer Event ? (Event extends unknown ? Omit<Event, 'at'> : never) : never

/** The last events, in a ring: it never grows beyond its capacity. Adding one copies nothing, because every lock pays for it. */
export class EventLog {
  readonly #events: ToldEvent[] = []
  readonly #times: Float64Array
  readonly #capacity: number
  #next = 0

  constructor(capacity = 1_000) {
    if (!(Number.isInteger(capacity) && capacity >= 1 && capacity <= 100_000))
      throw new InvalidOption({ option: 'eventLogSize', rule: 'between 1 and 100,000', value: capacity })
    this.#capacity = capacity
    this.#times = new Float64Array(capacity)
  }

  add(at: number, event: ToldEvent): void {
    this.#events[this.#next] = event
    this.#times[this.#next] = at
    this.#next = this.#next + 1 === this.#capacity ? 0 : this.#next + 1
  }

  /** Oldest first; with `limit` the last so many. */
  read(filter: { readonly name?: string; readonly limit?: number } = {}): readonly MonitorEvent[] {
    const { name, limit = this.#capacity } = filter
    const count = this.#events.length
    const first = count < this.#capacity ? 0 : this.#next
    const places = Array.from({ length: count }, (_, i) => (first + i) % count)
    const chosen = places.filter((place) => name === undefined || this.#events[place]!.name === name)
    return (limit <= 0 ? [] : chosen.slice(-limit)).map((place) => timed(this.#times[place]!, this.#events[place]!))
  }
}

export const timed = (at: number, event: ToldEvent): MonitorEvent => ({ at, ...event }) as MonitorEvent
