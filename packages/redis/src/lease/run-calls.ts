import type { LeaseKey } from '@lockstep/coordination'
import type { Commands } from '../connection/commands.ts'
import type { KeySpace } from '../key/key-space.ts'
import { timeOf } from './decode-answer.ts'
import type { ScriptCall } from './lease-calls.ts'
import { type FastCall, sortedByBucket } from './mutex-lane.ts'

/** Builds the call for a few items. */
export type BuildCall<Item> = (space: KeySpace, items: readonly Item[]) => ScriptCall
export type BuildFastCall<Item> = (space: KeySpace, items: readonly Item[], places: readonly number[]) => FastCall

/** The server does nothing else while a script runs: this many leases take it about two milliseconds. */
const LEASES_PER_CALL = 500
/** Small enough that the server works on one call while we build the next and read the answer to the last. */
const LEASES_PER_FAST_CALL = 32

/** Sends the scripts of one batch of leases and puts the answers where they belong. `places` says which of the items a call is for. */
export class Batch<Item extends LeaseKey> {
  /** The latest time of the store: whoever maps a later moment of it to the local clock must not place it too late. */
  at = 0
  readonly #context: { readonly space: KeySpace; readonly commands: Commands }
  readonly #items: readonly Item[]

  constructor(context: { readonly space: KeySpace; readonly commands: Commands }, items: readonly Item[]) {
    this.#context = context
    this.#items = items
  }

  /** Bucket by bucket before it is cut: a call touches few of them. */
  fast<Raw>(
    places: readonly number[],
    build: BuildFastCall<Item>,
    put: (place: number, raw: Raw) => void,
  ): Promise<unknown> {
    if (places.length <= LEASES_PER_FAST_CALL) return this.#fastPiece(places, build, put)
    const parts = pieces(sortedByBucket(this.#items, places), LEASES_PER_FAST_CALL)
    return Promise.all(parts.map((part) => this.#fastPiece(part, build, put)))
  }

  full<Raw>(
    places: readonly number[],
    build: BuildCall<Item>,
    put: (place: number, raw: Raw) => void,
  ): Promise<unknown> {
    return Promise.all(
      pieces(places, LEASES_PER_CALL).map((part) => {
        const items = part.map((place) => this.#items[place]!)
        return this.#run(build(this.#context.space, items), part, put)
      }),
    )
  }

  #fastPiece<Raw>(
    places: readonly number[],
    build: BuildFastCall<Item>,
    put: (place: number, raw: Raw) => void,
  ): Promise<void> {
    const call = build(this.#context.space, this.#items, places)
    return this.#run(call, call.order, put)
  }

  #run<Raw>(call: ScriptCall, order: readonly number[], put: (place: number, raw: Raw) => void): Promise<void> {
    return this.#context.commands.run(call.script, call.keys, call.args).then((answered) => {
      const reply = answered as unknown[]
      this.at = Math.max(this.at, timeOf(reply[0] as string))
      for (let i = 0; i < order.length; i += 1) put(order[i]!, reply[i + 1] as Raw)
    })
  }
}

/** Cuts `places` into equal pieces of at most `size`. */
export function pieces(places: readonly number[], size: number): readonly (readonly number[])[] {
  const count = Math.ceil(places.length / size)
  const each = Math.ceil(places.length / count)
  return Array.from({ length: count }, (_, i) => places.slice(i * each, (i + 1) * each))
}
