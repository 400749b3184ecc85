import { systemRandom } from '@lockstep/base'
import { type Busy, type Coordinator, type CoordinatorOptions, coordinator, type Lease } from '@lockstep/coordination'
import { type CoordinationHarness, until } from '../harness.ts'

/** Lives shortly: renewed many times, or over, within the patience of an example. */
export const SHORT_TTL = 1_000
/** Surely past the end of a lease of `SHORT_TTL` that nobody renews. */
export const PAST_SHORT_TTL = 1_500

export interface PrimitiveBench {
  readonly harness: CoordinationHarness
  /** A coordinator with a provider of its own, as another process has. */
  coordinator(options?: Partial<CoordinatorOptions>): Promise<Coordinator>
  /** How many places the store holds for a lock. */
  places(name: string): Promise<number>
  /** Resolves when the store knows that so many wait. */
  waiting(name: string, count: number): Promise<void>
  /** Resolves when the store has a place for this one. */
  standing(name: string, who: Coordinator): Promise<void>
  until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void>
  close(): Promise<void>
}

export function primitiveBench(harness: CoordinationHarness): PrimitiveBench {
  const opened: Coordinator[] = []
  const places = async (name: string): Promise<number> =>
    (await harness.provider.registry.read(name))?.waitingCount ?? 0
  const wait: PrimitiveBench['until'] = (what, isSo) => until(harness, what, isSo)
  return {
    harness,
    coordinator: async (options = {}) => {
      const provider = await harness.another()
      const own = coordinator({ provider, clock: harness.clock, random: systemRandom, ...options })
      opened.push(own)
      return own
    },
    places,
    waiting: (name, count) => wait(`${count} wait for "${name}"`, async () => (await places(name)) === count),
    standing: (name, who) =>
      wait(`${who.id} waits for "${name}"`, async () => {
        const state = await harness.provider.registry.read(name)
        return state?.waiters.some((each) => each.holder.includes(who.id)) ?? false
      }),
    until: wait,
    close: async () => {
      for (const each of opened) await each.close()
    },
  }
}

/** The lease of a try that must have succeeded. */
export function held<L extends { readonly ok: true }>(result: L | Busy): L {
  if (!result.ok) throw new Error(`expected a lease, got ${JSON.stringify(result)}`)
  return result
}

/** A busy answer of a try that must have failed. */
export function busy(result: { readonly ok: true } | Busy): Busy {
  if (result.ok) throw new Error('expected to be kept out, and got the lease')
  return result
}

/** What the signal aborted with, once it has. */
export async function lossOf(b: PrimitiveBench, lease: Pick<Lease, 'signal' | 'name'>): Promise<unknown> {
  await b.until(`"${lease.name}" is lost`, () => lease.signal.aborted)
  return lease.signal.reason
}

/** What a promise was rejected with. */
export async function errorOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
  } catch (error) {
    return error
  }
  throw new Error('expected a rejection')
}
