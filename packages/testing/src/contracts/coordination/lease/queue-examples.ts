import { expect } from 'vitest'
import { type Bench, holderText, LONG, mutex, PAST_SHORT, SHORT, waiting } from '../bench.ts'
import type { Example } from '../contract.ts'

export function queueExamples(example: Example<Bench>): void {
  example('queues those who wait and says how many are ahead', async (b) => {
    const inbox = await b.inbox()
    const held = mutex('orders')
    await b.take(held)
    const [one, two] = [waiting(mutex('orders'), inbox), waiting(mutex('orders'), inbox)]
    expect(await b.ask(one)).toMatchObject({ status: 'queued', ahead: 0, holder: holderText(held.token) })
    expect(await b.ask(two)).toMatchObject({ status: 'queued', ahead: 1 })
    expect(await b.ask(one)).toMatchObject({ status: 'queued', ahead: 0 })
  })

  example('grants a free mutex at once to somebody who would wait', async (b) => {
    await b.take(waiting(mutex('orders'), await b.inbox()))
  })

  example('hands a released mutex to those who wait, in their order', async (b) => {
    const inbox = await b.inbox()
    const held = mutex('orders')
    let last = await b.take(held)
    const line = Array.from({ length: 4 }, () => waiting(mutex('orders'), inbox))
    for (const each of line) expect((await b.ask(each)).status).toBe('queued')
    let holder = held
    for (const each of line) {
      expect(await b.release(holder)).toBe('released')
      const { fence } = await inbox.granted(each)
      expect(fence).toBeGreaterThan(last)
      expect(await b.ask(each)).toEqual({ status: 'granted', fence })
      last = fence
      holder = each
    }
    expect(inbox.notices.map((notice) => notice.token)).toEqual(line.map((each) => each.token))
  })

  example('hands over from one provider to another', async (b) => {
    const other = await b.harness.another()
    const inbox = await b.inbox(other)
    const held = mutex('orders')
    await b.take(held)
    const next = waiting(mutex('orders'), inbox)
    const asked = await other.leases.acquire([next])
    const released = await b.provider.leases.release([held])
    const notice = await inbox.granted(next)
    expect(notice.at).toBeGreaterThanOrEqual(asked.at)
    expect(notice.at).toBeLessThanOrEqual(released.at)
    expect(await b.renew(next, LONG, other)).toBe('renewed')
  })

  example('sends a grant to the address that waits, and to no other', async (b) => {
    const [mine, theirs] = [await b.inbox(), await b.inbox()]
    const held = mutex('orders')
    await b.take(held)
    const [one, two] = [waiting(mutex('orders'), mine), waiting(mutex('orders'), theirs)]
    await b.ask(one)
    await b.ask(two)
    await b.release(held)
    await mine.granted(one)
    await b.release(one)
    await theirs.granted(two)
    expect(mine.notices).toHaveLength(1)
    expect(theirs.notices).toHaveLength(1)
  })

  example('serves higher priority first, and equal ones in the order of arrival', async (b) => {
    const inbox = await b.inbox()
    const held = mutex('orders')
    await b.take(held)
    const priorities = [0, 5, 0, 1_000, 5, -1_000]
    const line = priorities.map((priority) => waiting(mutex('orders'), inbox, { priority }))
    for (const each of line) await b.ask(each)
    const order = [3, 1, 4, 0, 2, 5].map((i) => line[i]!)
    let holder = held
    for (const each of order) {
      await b.release(holder)
      await inbox.granted(each)
      holder = each
    }
    expect(inbox.notices.map((notice) => notice.token)).toEqual(order.map((each) => each.token))
  })

  example('counts those with higher priority as ahead', async (b) => {
    const inbox = await b.inbox()
    await b.take(mutex('orders'))
    const low = waiting(mutex('orders'), inbox)
    expect(await b.ask(low)).toMatchObject({ ahead: 0 })
    expect(await b.ask(waiting(mutex('orders'), inbox, { priority: 9 }))).toMatchObject({ ahead: 0 })
    expect(await b.ask(low)).toMatchObject({ ahead: 1 })
  })

  example('lets nobody past those who wait, even when a lease ended by itself', async (b) => {
    const inbox = await b.inbox()
    await b.take(mutex('orders', { ttlMs: SHORT }))
    const first = waiting(mutex('orders'), inbox)
    await b.ask(first)
    await b.harness.elapse(PAST_SHORT)
    expect((await b.ask(mutex('orders'))).status).toBe('busy')
    const { fence } = await inbox.granted(first)
    expect(await b.ask(first)).toEqual({ status: 'granted', fence })
  })

  example('gives an ended lease to the first who waits when it asks again', async (b) => {
    const inbox = await b.inbox()
    await b.take(mutex('orders', { ttlMs: SHORT }))
    const [first, second] = [waiting(mutex('orders'), inbox), waiting(mutex('orders'), inbox)]
    await b.ask(first)
    await b.ask(second)
    await b.harness.elapse(PAST_SHORT)
    expect((await b.ask(second)).status).toBe('queued')
    expect((await b.ask(first)).status).toBe('granted')
  })

  example('passes over those who stopped asking', async (b) => {
    const inbox = await b.inbox()
    const held = mutex('orders')
    await b.take(held)
    const dead = waiting(mutex('orders'), inbox, { aliveMs: SHORT, priority: 9 })
    const alive = waiting(mutex('orders'), inbox)
    await b.ask(dead)
    await b.ask(alive)
    await b.harness.elapse(PAST_SHORT)
    await b.release(held)
    await inbox.granted(alive)
    expect(inbox.notices).toHaveLength(1)
    expect(await b.release(dead)).toBe('gone')
  })

  example('keeps the place of those who go on asking', async (b) => {
    const inbox = await b.inbox()
    const held = mutex('orders')
    await b.take(held)
    const first = waiting(mutex('orders'), inbox, { aliveMs: 2 * SHORT })
    await b.ask(first)
    await b.ask(waiting(mutex('orders'), inbox))
    for (let i = 0; i < 4; i += 1) {
      await b.harness.elapse(SHORT / 2 + 50)
      expect(await b.ask(first)).toMatchObject({ status: 'queued', ahead: 0 })
    }
    await b.release(held)
    await inbox.granted(first)
  })

  example('grants a free mutex past a place that died', async (b) => {
    const inbox = await b.inbox()
    await b.take(mutex('orders', { ttlMs: SHORT }))
    await b.ask(waiting(mutex('orders'), inbox, { aliveMs: SHORT }))
    await b.harness.elapse(PAST_SHORT)
    await b.take(mutex('orders'))
    expect(inbox.notices).toEqual([])
  })

  example('takes a grant back from somebody who does not confirm it', async (b) => {
    const inbox = await b.inbox()
    const held = mutex('orders')
    await b.take(held)
    const silent = waiting(mutex('orders'), inbox, { grantTtlMs: SHORT })
    const next = waiting(mutex('orders'), inbox)
    await b.ask(silent)
    await b.ask(next)
    await b.release(held)
    const { fence } = await inbox.granted(silent)
    await b.harness.elapse(PAST_SHORT)
    expect(await b.take(next)).toBeGreaterThan(fence)
    expect(await b.renew(silent)).toBe('lost')
  })

  example('keeps a grant that was confirmed by a renewal', async (b) => {
    const inbox = await b.inbox()
    const held = mutex('orders')
    await b.take(held)
    const next = waiting(mutex('orders'), inbox, { grantTtlMs: SHORT })
    await b.ask(next)
    await b.release(held)
    await inbox.granted(next)
    expect(await b.renew(next, LONG)).toBe('renewed')
    await b.harness.elapse(PAST_SHORT)
    expect((await b.ask(mutex('orders'))).status).toBe('busy')
  })

  example('sets aside the fences that a waiter asked for when it is granted', async (b) => {
    const inbox = await b.inbox()
    const held = mutex('orders')
    await b.take(held)
    const next = waiting(mutex('orders', { fenceCount: 20 }), inbox)
    await b.ask(next)
    await b.release(held)
    const { fence } = await inbox.granted(next)
    await b.release(next)
    expect(await b.take(mutex('orders'))).toBeGreaterThanOrEqual(fence + 20n)
  })

  example('forgets a place that is withdrawn', async (b) => {
    const inbox = await b.inbox()
    const held = mutex('orders')
    await b.take(held)
    const [gone, stays] = [waiting(mutex('orders'), inbox), waiting(mutex('orders'), inbox)]
    await b.ask(gone)
    await b.ask(stays)
    expect(await b.release(gone)).toBe('released')
    expect(await b.release(gone)).toBe('gone')
    expect(await b.ask(stays)).toMatchObject({ status: 'queued', ahead: 0 })
    await b.release(held)
    await inbox.granted(stays)
    expect(inbox.notices).toHaveLength(1)
  })

  example('passes a grant on when its waiter withdrew at the same moment', async (b) => {
    const other = await b.harness.another()
    const inbox = await b.inbox()
    for (let round = 0; round < 15; round += 1) {
      const name = `orders ${round}`
      const held = mutex(name)
      await b.take(held)
      const [fickle, next] = [waiting(mutex(name), inbox), waiting(mutex(name), inbox)]
      await b.ask(fickle, other)
      await b.ask(next)
      const ways = [() => b.release(held), () => b.release(fickle, other)]
      if (round % 2 === 1) ways.reverse()
      await Promise.all(ways.map((way) => way()))
      await inbox.granted(next)
      expect(await b.renew(next)).toBe('renewed')
      expect(await b.renew(fickle)).toBe('lost')
      await b.release(next)
      expect(await b.provider.registry.read(name)).toBeUndefined()
    }
  })

  example('leaves nothing of a queue that everybody has left', async (b) => {
    const inbox = await b.inbox()
    const held = mutex('orders')
    const line = Array.from({ length: 3 }, () => waiting(mutex('orders'), inbox))
    await b.take(held)
    for (const each of line) await b.ask(each)
    for (const each of [...line, held]) expect(await b.release(each)).toBe('released')
    expect(await b.provider.registry.read('orders')).toBeUndefined()
    await b.take(mutex('orders'))
    expect(inbox.notices).toEqual([])
  })

  example('tells nothing after listening has ended', async (b) => {
    const [deaf, hears] = [await b.inbox(), await b.inbox()]
    const held = mutex('orders')
    await b.take(held)
    const [first, second] = [waiting(mutex('orders'), deaf), waiting(mutex('orders'), hears)]
    await b.ask(first)
    await b.ask(second)
    await deaf.close()
    await b.release(held)
    expect((await b.ask(first)).status).toBe('granted')
    await b.release(first)
    await hears.granted(second)
    expect(deaf.notices).toEqual([])
    await deaf.close()
  })

  example('serves thirty who come and go at once, one after the other', async (b) => {
    const providers = [b.provider, await b.harness.another(), await b.harness.another()]
    const fences: bigint[] = []
    let inside = 0
    const visit = async (i: number): Promise<void> => {
      const provider = providers[i % 3]!
      const inbox = await b.inbox(provider)
      const mine = waiting(mutex('orders'), inbox)
      const answer = await b.ask(mine, provider)
      const fence = answer.status === 'granted' ? answer.fence : (await inbox.granted(mine)).fence
      inside += 1
      fences.push(fence)
      await b.harness.elapse(1)
      expect(inside).toBe(1)
      inside -= 1
      await b.release(mine, provider)
      await inbox.close()
    }
    await Promise.all(Array.from({ length: 30 }, (_, i) => visit(i)))
    expect(fences).toHaveLength(30)
    expect(fences).toEqual([...fences].sort((one, two) => Number(one - two)))
    expect(new Set(fences).size).toBe(30)
  })
}
