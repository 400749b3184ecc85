import { expect } from 'vitest'
import { expectRising } from '../bench.ts'
import { type ContractOptions, contract, type Example } from '../contract.ts'
import type { OpenCoordination } from '../harness.ts'
import { errorOf, type PrimitiveBench, primitiveBench } from './primitive-bench.ts'

const quick = { ttlMs: 600, pauseMs: 20, maxPauseMs: 50 } as const

function guardExamples(example: Example<PrimitiveBench>): void {
  example('runs a singleton in one process, and in another when that one stops', async (b) => {
    const coordinators = [await b.coordinator(), await b.coordinator(), await b.coordinator()]
    const fences: bigint[] = []
    let inside = 0
    const singletons = coordinators.map((each) =>
      each.singleton(
        'poller',
        async (run) => {
          inside += 1
          expect(inside).toBe(1)
          fences.push(run.fence)
          run.assertHeld()
          if (!run.signal.aborted)
            await new Promise((over) => run.signal.addEventListener('abort', over, { once: true }))
          inside -= 1
        },
        quick,
      ),
    )
    for (let round = 1; round <= 3; round += 1) {
      await b.until(`run ${round} has begun`, () => fences.length === round && inside === 1)
      const running = singletons.filter((each) => each.running)
      expect(running).toHaveLength(1)
      await running[0]!.stop()
      expect(running[0]!.running).toBe(false)
    }
    expectRising(fences)
    for (const each of singletons) await each.stop()
    expect(inside).toBe(0)
    expect(await b.harness.provider.registry.list({ prefix: '', limit: 10 })).toEqual({ locks: [] })
  })

  example('starts a singleton again that failed or came back', async (b) => {
    const one = await b.coordinator()
    let runs = 0
    const singleton = one.singleton(
      'poller',
      () => {
        runs += 1
        if (runs % 2 === 1) throw new Error('it failed')
      },
      quick,
    )
    await b.until('it ran four times', () => runs >= 4)
    await singleton.stop()
    const before = runs
    await b.harness.elapse(200)
    expect(runs).toBe(before)
  })

  example('says yes once in a period, to one caller of the whole cluster', async (b) => {
    const coordinators = [await b.coordinator(), await b.coordinator(), await b.coordinator()]
    for (let period = 0; period < 2; period += 1) {
      const answers = await Promise.all(
        Array.from({ length: 9 }, (_, i) => coordinators[i % 3]!.tryOnce('nightly', 1_500)),
      )
      expect(answers.filter(Boolean)).toHaveLength(1)
      expect(await coordinators[0]!.tryOnce('nightly', 1_500)).toBe(false)
      expect(await coordinators[1]!.tryOnce(`other ${period}`, 1_500)).toBe(true)
      await b.harness.elapse(1_700)
    }
  })

  example('keeps a period although the one who got it goes away', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    expect(await one.tryOnce('nightly', 60_000)).toBe(true)
    await one.close()
    expect(await two.tryOnce('nightly', 60_000)).toBe(false)
  })

  example('executes work when the lock is free, and otherwise skips and says who has it', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    let ran = 0
    const result = await one.executeWithLock('import', async (lease) => {
      lease.assertHeld()
      expect(
        await two.executeWithLock('import', () => {
          ran += 1
        }),
      ).toMatchObject({ ran: false, holder: { nodeId: one.id } })
      return 'done'
    })
    expect(result).toEqual({ ran: true, value: 'done' })
    expect(ran).toBe(0)
    const failure = new Error('the work failed')
    expect(
      await errorOf(
        one.executeWithLock('import', () => {
          throw failure
        }),
      ),
    ).toBe(failure)
    expect(await two.executeWithLock('import', () => 2)).toEqual({ ran: true, value: 2 })
  })

  example('refuses periods and keys that make no sense', async (b) => {
    const one = await b.coordinator()
    for (const period of [0, -1, Number.NaN])
      expect(await errorOf((async () => one.tryOnce('nightly', period))())).toMatchObject({ code: 'INVALID_OPTION' })
    expect(await errorOf((async () => one.tryOnce('', 1_000))())).toMatchObject({ code: 'INVALID_LOCK_NAME' })
  })
}

/** Guards as their users see them, on any provider. */
export function guardContract(provider: string, open: OpenCoordination, options: ContractOptions = {}): void {
  contract<PrimitiveBench>(`${provider}: guard contract`, open, options, primitiveBench, { guards: guardExamples })
}
