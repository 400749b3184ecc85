import { expect } from 'vitest'
import { type ContractOptions, contract, type Example } from '../contract.ts'
import type { OpenCoordination } from '../harness.ts'
import { type PrimitiveBench, primitiveBench } from './primitive-bench.ts'

const fair = { fair: true } as const

function fairExamples(example: Example<PrimitiveBench>): void {
  example('serves everybody in the order of arrival, whatever process they are in', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const first = await one.mutex('orders', fair).acquire()
    const order: number[] = []
    const visits: Promise<void>[] = []
    for (const [i, who] of [two, one, one, two, one, two, two, one].entries()) {
      visits.push(who.mutex('orders', fair).run(() => void order.push(i)))
      await b.waiting('orders', i + 1)
    }
    await first.release()
    await Promise.all(visits)
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  example('knows no priority', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const first = await one.mutex('orders', fair).acquire()
    const order: string[] = []
    const early = two.mutex('orders', fair).run(() => void order.push('early'))
    await b.waiting('orders', 1)
    const urgent = one.mutex('orders', fair).run(() => void order.push('urgent'), { priority: 1_000 })
    await b.waiting('orders', 2)
    await first.release()
    await Promise.all([early, urgent])
    expect(order).toEqual(['early', 'urgent'])
  })

  example('puts a holder that asks again at the end of the line', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const first = await one.mutex('orders', fair).acquire()
    const order: string[] = []
    const other = two.mutex('orders', fair).run(() => void order.push('other'))
    await b.waiting('orders', 1)
    await first.release()
    await one.mutex('orders', fair).run(() => void order.push('again'))
    await other
    expect(order).toEqual(['other', 'again'])
  })

  example('forgets those who gave up, and keeps the order of the others', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const first = await one.mutex('orders', fair).acquire()
    const order: string[] = []
    const quits = two.mutex('orders', fair).tryAcquire({ waitMs: 1_000 })
    await b.waiting('orders', 1)
    const stays = one.mutex('orders', fair).run(() => void order.push('first'))
    await b.waiting('orders', 2)
    const last = two.mutex('orders', fair).run(() => void order.push('second'))
    await quits
    await b.waiting('orders', 2)
    await first.release()
    await Promise.all([stays, last])
    expect(order).toEqual(['first', 'second'])
  })
}

/** A mutex that serves in the order of arrival, on any provider. */
export function fairContract(provider: string, open: OpenCoordination, options: ContractOptions = {}): void {
  contract<PrimitiveBench>(`${provider}: fair mutex contract`, open, options, primitiveBench, { order: fairExamples })
}
