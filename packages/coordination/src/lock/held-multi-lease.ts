import { type LinkedAbort, linkedAbort } from '@lockstep/base'
import type { Lease } from '../lease/lease.ts'
import type { MultiLease } from './multi-lock.ts'

/** A part of it, of whatever kind. */
export interface PartLease extends Lease {
  readonly lostBy: Error | undefined
}

export class HeldMultiLease implements MultiLease {
  readonly ok = true
  readonly name: string
  readonly fences: ReadonlyMap<string, bigint>
  readonly #parts: readonly PartLease[]
  #lost: LinkedAbort | undefined
  #yield: LinkedAbort | undefined
  #ending: Promise<'released' | 'lost'> | undefined

  constructor(name: string, parts: readonly PartLease[]) {
    this.name = name
    this.#parts = parts
    this.fences = new Map(parts.map((part) => [part.name, part.fence]))
  }

  get signal(): AbortSignal {
    this.#lost ??= linkedAbort(...this.#parts.map((part) => part.signal))
    return this.#lost.signal
  }

  get yieldSignal(): AbortSignal {
    this.#yield ??= linkedAbort(...this.#parts.map((part) => part.yieldSignal))
    return this.#yield.signal
  }

  get lostBy(): Error | undefined {
    return this.#parts.find((part) => part.lostBy !== undefined)?.lostBy
  }

  remainingMs(): number {
    return Math.min(...this.#parts.map((part) => part.remainingMs()))
  }

  assertHeld(): void {
    for (const part of this.#parts) part.assertHeld()
  }

  async verify(): Promise<boolean> {
    return (await Promise.all(this.#parts.map((part) => part.verify()))).every(Boolean)
  }

  release(): Promise<'released' | 'lost'> {
    this.#ending ??= this.#release()
    return this.#ending
  }

  async #release(): Promise<'released' | 'lost'> {
    this.#lost?.[Symbol.dispose]()
    this.#yield?.[Symbol.dispose]()
    const ends = await Promise.allSettled(this.#parts.map((part) => part.release()))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    return ends.some((end) => end.status === 'fulfilled' && end.value === 'lost') ? 'lost' : 'released'
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lost?.[Symbol.dispose]()
    this.#yield?.[Symbol.dispose]()
    await Promise.all(this.#parts.map((part) => part[Symbol.asyncDispose]()))
  }
}
