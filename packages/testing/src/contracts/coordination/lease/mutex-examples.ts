import { expect } from 'vitest'
import { type Bench, holderText, LONG, mutex, newToken, PAST_SHORT, SHORT } from '../bench.ts'
import type { Example } from '../contract.ts'

export function mutexExamples(example: Example<Bench>): void {
  example('grants a free mutex and tells everybody else who has it', async (b) => {
    const held = mutex('orders')
    await b.take(held)
    const answer = await b.ask(mutex('orders'))
    expect(answer).toMatchObject({ status: 'busy', holder: holderText(held.token) })
    const { leftMs } = answer as { leftMs: number }
    expect(leftMs).toBeGreaterThan(LONG / 2)
    expect(leftMs).toBeLessThanOrEqual(LONG)
  })

  example('answers a repeated acquire with the fence that was granted', async (b) => {
    const held = mutex('orders')
    const fence = await b.take(held)
    expect(await b.ask(held)).toEqual({ status: 'granted', fence })
    expect(await b.ask(held, await b.harness.another())).toEqual({ status: 'granted', fence })
  })

  example('extends the life of a lease that is asked for again', async (b) => {
    const held = mutex('orders', { ttlMs: SHORT })
    await b.take(held)
    await b.take({ ...held, ttlMs: LONG })
    await b.harness.elapse(PAST_SHORT)
    expect((await b.ask(mutex('orders'))).status).toBe('busy')
    expect(await b.renew(held)).toBe('renewed')
  })

  example('lets a lease end by itself', async (b) => {
    await b.take(mutex('orders', { ttlMs: SHORT }))
    expect((await b.ask(mutex('orders'))).status).toBe('busy')
    await b.harness.elapse(PAST_SHORT)
    await b.take(mutex('orders'))
  })

  example('extends a lease by renewal', async (b) => {
    const held = mutex('orders', { ttlMs: SHORT })
    await b.take(held)
    expect(await b.renew(held, LONG)).toBe('renewed')
    await b.harness.elapse(PAST_SHORT)
    expect((await b.ask(mutex('orders'))).status).toBe('busy')
  })

  example('shortens a lease by a renewal with less time', async (b) => {
    const held = mutex('orders')
    await b.take(held)
    expect(await b.renew(held, SHORT)).toBe('renewed')
    await b.harness.elapse(PAST_SHORT)
    await b.take(mutex('orders'))
  })

  example('does not renew what ended, even when nobody else took it', async (b) => {
    const late = mutex('orders', { ttlMs: SHORT })
    await b.take(late)
    await b.harness.elapse(PAST_SHORT)
    expect(await b.renew(late)).toBe('lost')
    expect(await b.renew(late)).toBe('lost')
    await b.take(mutex('orders'))
  })

  example('refuses a late owner once the lease went to another', async (b) => {
    const late = mutex('orders', { ttlMs: SHORT })
    const first = await b.take(late)
    await b.harness.elapse(PAST_SHORT)
    const next = mutex('orders')
    expect(await b.take(next)).toBeGreaterThan(first)
    expect(await b.renew(late)).toBe('lost')
    expect(await b.release(late)).toBe('gone')
    expect((await b.ask(late)).status).toBe('busy')
    expect(await b.renew(next)).toBe('renewed')
  })

  example('frees what its owner releases, once', async (b) => {
    const held = mutex('orders')
    await b.take(held)
    expect(await b.release(held)).toBe('released')
    expect(await b.release(held)).toBe('gone')
    expect(await b.renew(held)).toBe('lost')
    await b.take(mutex('orders'))
  })

  example('frees nothing for somebody else', async (b) => {
    const held = mutex('orders')
    await b.take(held)
    expect(await b.release({ ...held, token: newToken('stranger') })).toBe('gone')
    expect(await b.renew({ ...held, token: newToken('stranger') })).toBe('lost')
    expect(await b.renew(held)).toBe('renewed')
  })

  example('leaves nothing behind of a refused try', async (b) => {
    const held = mutex('orders')
    const tried = mutex('orders')
    await b.take(held)
    expect((await b.ask(tried)).status).toBe('busy')
    expect(await b.release(tried)).toBe('gone')
    await b.release(held)
    expect(await b.provider.registry.read('orders')).toBeUndefined()
  })

  example('keeps leases of one name apart from those of another', async (b) => {
    const [one, two] = [mutex('orders'), mutex('order')]
    await b.take(one)
    await b.take(two)
    await b.release(one)
    expect(await b.renew(two)).toBe('renewed')
  })

  example('tells its own time with every answer', async (b) => {
    const held = mutex('orders')
    const before = (await b.provider.leases.acquire([held])).at
    await b.harness.elapse(100)
    const after = (await b.provider.leases.renew([{ ...held, ttlMs: LONG }])).at
    const last = (await b.provider.leases.release([held])).at
    expect(after - before).toBeGreaterThanOrEqual(90)
    expect(after - before).toBeLessThan(30_000)
    expect(last).toBeGreaterThanOrEqual(after)
  })

  example('gives one mutex to one of many who ask at once', async (b) => {
    const others = [await b.harness.another(), await b.harness.another()]
    const asking = Array.from({ length: 30 }, (_, i) => b.ask(mutex('orders'), [b.provider, ...others][i % 3]!))
    const statuses = (await Promise.all(asking)).map((answer) => answer.status)
    expect(statuses.filter((status) => status === 'granted')).toHaveLength(1)
    expect(statuses.filter((status) => status === 'busy')).toHaveLength(29)
  })
}
