import { expect } from 'vitest'
import { type Bench, LONG, PAST_SHORT, permits, SHORT, waiting } from '../bench.ts'
import type { Example } from '../contract.ts'

export function semaphoreExamples(example: Example<Bench>): void {
  example('grants as many permits as there are', async (b) => {
    const held = [permits('pool', 1, 2), permits('pool', 1, 2)]
    for (const each of held) await b.take(each)
    expect((await b.ask(permits('pool', 1, 2))).status).toBe('busy')
    await b.release(held[0]!)
    await b.take(permits('pool', 1, 2))
  })

  example('counts permits by their weight', async (b) => {
    await b.take(permits('pool', 3, 5))
    expect((await b.ask(permits('pool', 3, 5))).status).toBe('busy')
    await b.take(permits('pool', 2, 5))
    expect((await b.ask(permits('pool', 1, 5))).status).toBe('busy')
  })

  example('counts a repeated acquire once', async (b) => {
    const held = permits('pool', 2, 3)
    const fence = await b.take(held)
    expect(await b.take(held)).toBe(fence)
    await b.take(permits('pool', 1, 3))
  })

  example('says when more permits are asked for than there are', async (b) => {
    expect(await b.ask(permits('pool', 4, 3))).toEqual({ status: 'too-heavy', max: 3 })
    expect(await b.ask(waiting(permits('pool', 4, 3), await b.inbox()))).toEqual({ status: 'too-heavy', max: 3 })
    await b.take(permits('pool', 3, 3))
  })

  example('lets nobody light past somebody heavy who waits', async (b) => {
    const inbox = await b.inbox()
    const held = permits('pool', 1, 3)
    await b.take(held)
    const heavy = waiting(permits('pool', 3, 3), inbox)
    expect((await b.ask(heavy)).status).toBe('queued')
    expect((await b.ask(permits('pool', 1, 3))).status).toBe('busy')
    expect(await b.ask(waiting(permits('pool', 1, 3), inbox))).toMatchObject({ status: 'queued', ahead: 1 })
    await b.release(held)
    await inbox.granted(heavy)
    expect(inbox.notices).toHaveLength(1)
  })

  example('lets a higher priority that fits in at once, before somebody heavier who waits', async (b) => {
    const inbox = await b.inbox()
    await b.take(permits('pool', 1, 3))
    const heavy = waiting(permits('pool', 3, 3), inbox)
    await b.ask(heavy)
    expect((await b.ask(waiting(permits('pool', 1, 3), inbox, { priority: 5 }))).status).toBe('granted')
    expect((await b.ask(waiting(permits('pool', 1, 3), inbox))).status).toBe('queued')
    expect((await b.ask(heavy)).status).toBe('queued')
  })

  example('grants all who fit when permits come back', async (b) => {
    const inbox = await b.inbox()
    const held = permits('pool', 3, 3)
    await b.take(held)
    const line = [1, 1, 1, 1].map((weight) => waiting(permits('pool', weight, 3), inbox))
    for (const each of line) await b.ask(each)
    await b.release(held)
    for (const each of line.slice(0, 3)) await inbox.granted(each)
    expect(await b.ask(line[3]!)).toMatchObject({ status: 'queued', ahead: 0 })
    await b.release(line[1]!)
    await inbox.granted(line[3]!)
  })

  example('gives every permit a fence of its own', async (b) => {
    const fences = new Set<bigint>()
    for (let i = 0; i < 5; i += 1) fences.add(await b.take(permits('pool', 1, 5)))
    expect(fences.size).toBe(5)
  })

  example('gives every permit a life of its own', async (b) => {
    const [dies, lives] = [permits('pool', 1, 2, { ttlMs: SHORT }), permits('pool', 1, 2, { ttlMs: SHORT })]
    await b.take(dies)
    await b.take(lives)
    await b.renew(lives, LONG)
    await b.harness.elapse(PAST_SHORT)
    expect(await b.renew(dies)).toBe('lost')
    await b.take(permits('pool', 1, 2))
    expect((await b.ask(permits('pool', 1, 2))).status).toBe('busy')
  })

  example('lets those behind go on when somebody heavy withdraws', async (b) => {
    const inbox = await b.inbox()
    await b.take(permits('pool', 1, 2))
    const [heavy, light] = [waiting(permits('pool', 2, 2), inbox), waiting(permits('pool', 1, 2), inbox)]
    await b.ask(heavy)
    await b.ask(light)
    expect(await b.release(heavy)).toBe('released')
    await inbox.granted(light)
  })

  example('takes nothing away when a semaphore shrinks, and grants nothing until it fits', async (b) => {
    const held = [permits('pool', 1, 3), permits('pool', 1, 3), permits('pool', 1, 3)]
    for (const each of held) await b.take(each)
    await b.provider.registry.resize('pool', 1)
    for (const each of held) expect(await b.renew(each)).toBe('renewed')
    await b.release(held[0]!)
    await b.release(held[1]!)
    expect((await b.ask(permits('pool', 1, 3))).status).toBe('busy')
    await b.release(held[2]!)
    await b.take(permits('pool', 1, 3))
    expect((await b.ask(permits('pool', 1, 3))).status).toBe('busy')
  })

  example('answers a repeated acquire with its grant although it would be too heavy by now', async (b) => {
    const held = permits('pool', 3, 3)
    const fence = await b.take(held)
    await b.provider.registry.resize('pool', 1)
    expect(await b.ask(held)).toEqual({ status: 'granted', fence })
    expect(await b.release(held)).toBe('released')
    expect(await b.ask(held)).toEqual({ status: 'too-heavy', max: 1 })
  })

  example('lets newcomers in past somebody who became too heavy and has not asked again', async (b) => {
    const inbox = await b.inbox()
    const held = permits('pool', 1, 3)
    await b.take(held)
    await b.ask(waiting(permits('pool', 3, 3), inbox))
    await b.provider.registry.resize('pool', 2)
    await b.take(permits('pool', 1, 3))
    await b.release(held)
    await b.take(waiting(permits('pool', 1, 3), inbox))
  })

  example('grants at once what fits when a semaphore grows', async (b) => {
    const inbox = await b.inbox()
    await b.take(permits('pool', 1, 1))
    const line = [1, 1, 1].map((weight) => waiting(permits('pool', weight, 1), inbox))
    for (const each of line) await b.ask(each)
    await b.provider.registry.resize('pool', 3)
    for (const each of line.slice(0, 2)) await inbox.granted(each)
    expect((await b.ask(line[2]!)).status).toBe('queued')
  })

  example('remembers its size when nobody holds a permit', async (b) => {
    await b.provider.registry.resize('pool', 1)
    const held = permits('pool', 1, 10)
    await b.take(held)
    expect((await b.ask(permits('pool', 1, 10))).status).toBe('busy')
    await b.release(held)
    expect(await b.ask(permits('pool', 2, 10))).toEqual({ status: 'too-heavy', max: 1 })
    await b.provider.registry.resize('pool', 4)
    await b.take(permits('pool', 4, 10))
  })

  example('tells somebody who became too heavy, and lets those behind go on', async (b) => {
    const inbox = await b.inbox()
    await b.take(permits('pool', 1, 3))
    const [heavy, light] = [waiting(permits('pool', 3, 3), inbox), waiting(permits('pool', 1, 3), inbox)]
    await b.ask(heavy)
    await b.ask(light)
    await b.provider.registry.resize('pool', 2)
    expect(await b.ask(heavy)).toEqual({ status: 'too-heavy', max: 2 })
    await b.until('those behind go on', async () => (await b.ask(light)).status === 'granted')
  })
}
