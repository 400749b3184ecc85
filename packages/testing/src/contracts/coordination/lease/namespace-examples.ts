import { expect } from 'vitest'
import { type Bench, mutex, permits, waiting } from '../bench.ts'
import type { Example } from '../contract.ts'

export function namespaceExamples(example: Example<Bench>): void {
  example('keeps two namespaces apart', async (b) => {
    const other = await b.harness.another({ namespace: 'elsewhere' })
    const held = mutex('orders')
    await b.take(held)
    await b.take(held, other)
    expect(await b.release(held, other)).toBe('released')
    expect(await b.renew(held)).toBe('renewed')
    expect((await other.registry.list({ prefix: '', limit: 10 })).locks).toEqual([])
    await other.registry.break('orders', { reason: 'contract', by: 'somebody' })
    expect(await b.renew(held)).toBe('renewed')
  })

  example('keeps the sizes and queues of two namespaces apart', async (b) => {
    const other = await b.harness.another({ namespace: 'elsewhere' })
    const inbox = await b.inbox()
    await other.registry.resize('pool', 1)
    const held = permits('pool', 3, 3)
    await b.take(held)
    await b.ask(waiting(permits('pool', 1, 3), inbox))
    expect(await other.registry.read('pool').then((state) => state?.waitingCount ?? 0)).toBe(0)
    await b.take(permits('pool', 1, 3), other)
  })
}
