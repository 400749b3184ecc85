import { deferred } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import { ProviderUnavailable } from '../errors.ts'
import { Gather } from './gather.ts'
import type { Answers } from './lease-provider.ts'
import { Traffic } from './traffic.ts'

/** A store that answers a number with its double, when it is told to. */
function doubling() {
  const clock = virtualClock()
  const batches: { readonly requests: readonly number[]; answer(): void; fail(error: Error): void }[] = []
  const gather = new Gather<number, number>(clock, clock.monotonic, (requests) => {
    const reply = deferred<Answers<number>>()
    batches.push({
      requests,
      answer: () => reply.resolve({ at: 7, answers: requests.map((each) => each * 2) }),
      fail: reply.reject,
    })
    return reply.promise
  })
  const ask = (request: number): Promise<number> =>
    new Promise((answered, failed) => gather.ask({ request, answered, failed }))
  return { clock, batches, gather, ask }
}

describe('gathering calls', () => {
  it('sends what is asked in one tick as one call', async () => {
    const { clock, batches, ask } = doubling()
    const answers = Promise.all([ask(1), Promise.resolve().then(() => ask(2)), ask(3)])
    await clock.advance(0)
    expect(batches.map((each) => each.requests)).toEqual([[1, 3, 2]])
    batches[0]!.answer()
    expect(await answers).toEqual([2, 4, 6])
  })

  it('sends a lone request before the event loop turns', async () => {
    const { batches, ask } = doubling()
    void ask(1)
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
    expect(batches).toHaveLength(1)
  })

  it('keeps a crowd together that one reply woke, although each takes a few steps', async () => {
    const { clock, batches, ask } = doubling()
    const worker = async (id: number): Promise<void> => {
      await ask(id)
      if (id % 2 === 0) await Promise.resolve()
      await ask(id + 100)
    }
    const done = Promise.all([1, 2, 3, 4].map(worker))
    await clock.advance(0)
    batches[0]!.answer()
    await clock.advance(0)
    expect(batches.map((each) => each.requests.length)).toEqual([4, 4])
    batches[1]!.answer()
    await done
  })

  it('gathers on while a call is under way, and does not wait for it', async () => {
    const { clock, batches, ask } = doubling()
    void ask(1)
    await clock.advance(0)
    const later = ask(2)
    await clock.advance(0)
    expect(batches.map((each) => each.requests)).toEqual([[1], [2]])
    batches[1]!.answer()
    expect(await later).toBe(4)
  })

  it('tells everybody of a call that it failed, and goes on', async () => {
    const { clock, batches, ask } = doubling()
    const both = Promise.allSettled([ask(1), ask(2)])
    await clock.advance(0)
    const gone = new Error('gone')
    batches[0]!.fail(gone)
    expect(await both).toEqual([
      { status: 'rejected', reason: gone },
      { status: 'rejected', reason: gone },
    ])
    const next = ask(3)
    await clock.advance(0)
    batches[1]!.answer()
    expect(await next).toBe(6)
  })

  it('fails a request that the store left out of its answer', async () => {
    const clock = virtualClock()
    const gather = new Gather<number, number>(clock, clock.monotonic, async () => ({ at: 0, answers: [1] }))
    const ask = (request: number): Promise<number> =>
      new Promise((answered, failed) => gather.ask({ request, answered, failed }))
    const [first, second] = await Promise.allSettled([ask(1), ask(2)])
    expect(first).toMatchObject({ status: 'fulfilled', value: 1 })
    expect(second.status === 'rejected' && ProviderUnavailable.is(second.reason)).toBe(true)
  })

  it('splits what no store should have to take at once', async () => {
    const { clock, batches, ask } = doubling()
    const all = Promise.all(Array.from({ length: 2_500 }, (_, index) => ask(index)))
    await clock.advance(0)
    expect(batches.map((each) => each.requests.length)).toEqual([1_000, 1_000, 500])
    for (const batch of batches) batch.answer()
    await clock.advance(0)
    expect((await all)[2_499]).toBe(4_998)
  })

  it('sends a crowd in two halves, and keeps them apart when their answers come together', async () => {
    const { clock, batches, ask } = doubling()
    const order: string[] = []
    const worker = async (id: number): Promise<void> => {
      await ask(id)
      order.push(id < 32 ? 'first' : 'second')
      await ask(id + 100)
    }
    const done = Promise.all(Array.from({ length: 64 }, (_, id) => worker(id)))
    await clock.advance(0)
    expect(batches.map((each) => each.requests.length)).toEqual([32, 32])
    batches[0]!.answer()
    batches[1]!.answer()
    await clock.advance(0)
    expect(batches.slice(2).map((each) => each.requests[0])).toEqual([100, 132])
    expect(batches.slice(2).map((each) => each.requests.length)).toEqual([32, 32])
    expect(order.indexOf('second')).toBe(32)
    batches[2]!.answer()
    batches[3]!.answer()
    await clock.advance(0)
    await done
  })

  it('lets a crowd that goes from one gather to the other stay in its halves', async () => {
    const clock = virtualClock()
    const traffic = new Traffic(clock)
    const sizes: number[] = []
    const gather = (): Gather<number, number> =>
      new Gather<number, number>(
        clock,
        clock.monotonic,
        async (requests) => {
          sizes.push(requests.length)
          await new Promise<void>((resolve) => clock.soon(resolve))
          return { at: 0, answers: requests }
        },
        traffic,
      )
    const [first, second] = [gather(), gather()]
    const ask = (of: Gather<number, number>, request: number): Promise<number> =>
      new Promise((answered, failed) => of.ask({ request, answered, failed }))
    const done = Promise.all(
      Array.from({ length: 64 }, async (_, id) => {
        for (let turn = 0; turn < 5; turn += 1) await ask(turn % 2 === 0 ? first : second, id)
      }),
    )
    await clock.advance(0)
    await done
    expect(sizes).toEqual(new Array(10).fill(32))
  })

  it('knows when nothing is under way', async () => {
    const { clock, batches, gather, ask } = doubling()
    await gather.idle()
    void ask(1)
    let idle = false
    const done = gather.idle().then(() => {
      idle = true
    })
    await clock.advance(0)
    expect(idle).toBe(false)
    batches[0]!.answer()
    await done
  })
})
