import { expect } from 'vitest'
import { type Bench, mutex, permits, reader, waiting, writer } from '../bench.ts'
import type { Example } from '../contract.ts'

const why = { reason: 'stuck since Tuesday', by: 'ada@example.org' }

export function interventionExamples(example: Example<Bench>): void {
  example('breaks a lease: it is gone, its holder is told, and whom it took is answered', async (b) => {
    const inbox = await b.inbox()
    const held = { ...mutex('orders'), address: inbox.address }
    const fence = await b.take(held)
    const broken = await b.provider.registry.break('orders', why)
    expect(broken).toMatchObject([{ token: held.token, holder: held.holder, fence, share: { kind: 'mutex' } }])
    expect(await inbox.told('revoked', held)).toMatchObject({ reason: why.reason })
    expect(await b.renew(held)).toBe('lost')
    expect(await b.provider.registry.read('orders')).toBeUndefined()
  })

  example('tells a holder that got its lease while waiting of a break', async (b) => {
    const inbox = await b.inbox()
    const first = mutex('orders')
    await b.take(first)
    const held = waiting(mutex('orders'), inbox)
    await b.ask(held)
    await b.release(first)
    await inbox.granted(held)
    await b.provider.registry.break('orders', why)
    await inbox.told('revoked', held)
  })

  example('hands a broken lock to the next who waits', async (b) => {
    const inbox = await b.inbox()
    const held = mutex('orders')
    const fence = await b.take(held)
    const next = waiting(mutex('orders'), inbox)
    await b.ask(next)
    await b.provider.registry.break('orders', why)
    expect((await inbox.granted(next)).fence).toBeGreaterThan(fence)
    expect(await b.renew(held)).toBe('lost')
    expect(await b.renew(next)).toBe('renewed')
  })

  example('breaks every share of a lock', async (b) => {
    const inbox = await b.inbox()
    const held = [reader('page'), reader('page')].map((each) => ({ ...each, address: inbox.address }))
    for (const each of held) await b.take(each)
    const broken = await b.provider.registry.break('page', why)
    expect(broken.map((each) => each.token).sort()).toEqual(held.map((each) => each.token).sort())
    for (const each of held) {
      await inbox.told('revoked', each)
      expect(await b.renew(each)).toBe('lost')
    }
    await b.take(writer('page'))
    for (let i = 0; i < 2; i += 1) await b.take(permits('pool', 1, 2))
    expect(await b.provider.registry.break('pool', why)).toHaveLength(2)
    await b.take(permits('pool', 2, 2))
  })

  example('breaks nothing when nobody holds it', async (b) => {
    expect(await b.provider.registry.break('orders', why)).toEqual([])
    await b.take(mutex('orders'))
  })

  example('writes down who broke a lock and why', async (b) => {
    const held = mutex('orders')
    const fence = await b.take(held)
    await b.provider.registry.break('orders', why)
    const events = await b.provider.registry.history('orders', 10)
    const broken = events.find((event) => event.kind === 'broken')
    expect(broken).toMatchObject({ holder: held.holder, fence, ...why, at: expect.any(Number) })
  })

  example('keeps the history of a lock newest first, and bounded', async (b) => {
    for (let i = 0; i < 5; i += 1) {
      await b.take(mutex('orders'))
      await b.provider.registry.break('orders', { ...why, reason: `number ${i}` })
    }
    const events = await b.provider.registry.history('orders', 100)
    expect(events.filter((event) => event.kind === 'broken').map((event) => event.reason)).toEqual(
      [4, 3, 2, 1, 0].map((i) => `number ${i}`),
    )
    const times = events.map((event) => event.at)
    expect(times).toEqual([...times].sort((one, two) => two - one))
    expect(await b.provider.registry.history('orders', 2)).toEqual(events.slice(0, 2))
    expect(await b.provider.registry.history('another', 10)).toEqual([])
  })

  example('asks holders to yield and takes nothing from them', async (b) => {
    const inbox = await b.inbox()
    const held = { ...mutex('orders'), address: inbox.address }
    await b.take(held)
    const told = await b.provider.registry.requestYield('orders', why)
    expect(told).toMatchObject([{ token: held.token, holder: held.holder }])
    expect(await inbox.told('yield', held)).toMatchObject({ reason: why.reason })
    expect(await b.renew(held)).toBe('renewed')
    expect(await b.provider.registry.requestYield('nobody has this', why)).toEqual([])
  })

  example('reaches a holder on another provider', async (b) => {
    const other = await b.harness.another()
    const inbox = await b.inbox(other)
    const held = { ...mutex('orders'), address: inbox.address }
    await b.take(held, other)
    await b.provider.registry.requestYield('orders', why)
    await inbox.told('yield', held)
    await b.provider.registry.break('orders', why)
    await inbox.told('revoked', held)
  })
}
