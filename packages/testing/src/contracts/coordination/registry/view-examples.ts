import type { LockState } from '@lockstep/coordination'
import { expect } from 'vitest'
import { type Bench, LONG, mutex, PAST_SHORT, permits, reader, SHORT, waiting, writer } from '../bench.ts'
import type { Example } from '../contract.ts'
import { oddNames } from '../lease/batch-examples.ts'

async function everyPage(b: Bench, prefix: string, limit: number): Promise<LockState[][]> {
  const pages: LockState[][] = []
  let after: string | undefined
  do {
    const page = await b.provider.registry.list({ prefix, limit, ...(after === undefined ? {} : { after }) })
    expect(page.locks.length).toBeLessThanOrEqual(limit)
    pages.push([...page.locks])
    after = page.next
  } while (after !== undefined && pages.length < 100)
  return pages
}

const namesOf = (pages: readonly LockState[][]): string[] => pages.flat().map((lock) => lock.name)

export function viewExamples(example: Example<Bench>): void {
  example('shows holders and those who wait, in their order', async (b) => {
    const inbox = await b.inbox()
    const held = mutex('orders')
    const fence = await b.take(held)
    const [low, high] = [waiting(mutex('orders'), inbox), waiting(mutex('orders'), inbox, { priority: 3 })]
    await b.ask(low)
    await b.ask(high)
    const state = await b.provider.registry.read('orders')
    expect(state).toMatchObject({
      name: 'orders',
      kind: 'mutex',
      holders: [{ token: held.token, holder: held.holder, share: { kind: 'mutex' }, fence }],
      waiters: [
        { token: high.token, holder: high.holder, share: { kind: 'mutex' }, priority: 3 },
        { token: low.token, holder: low.holder, share: { kind: 'mutex' }, priority: 0 },
      ],
      waitingCount: 2,
    })
    const [holder] = state!.holders
    expect(holder!.expiresAt - holder!.acquiredAt).toBeGreaterThan(LONG / 2)
    expect(holder!.expiresAt - holder!.acquiredAt).toBeLessThanOrEqual(LONG + 1_000)
    expect(holder!.acquiredAt).toBeGreaterThan(1_600_000_000_000)
    expect(state!.waiters[0]!.since).toBeGreaterThanOrEqual(state!.waiters[1]!.since)
  })

  example('shows readers, writers and permits as what they are', async (b) => {
    const inbox = await b.inbox()
    await b.take(reader('page'))
    await b.take(reader('page'))
    await b.ask(waiting(writer('page'), inbox))
    await b.take(permits('pool', 2, 5))
    const page = await b.provider.registry.read('page')
    expect(page).toMatchObject({ kind: 'read-write', waitingCount: 1, waiters: [{ share: { kind: 'write' } }] })
    expect(page!.holders.map((each) => each.share)).toEqual([{ kind: 'read' }, { kind: 'read' }])
    const pool = await b.provider.registry.read('pool')
    expect(pool).toMatchObject({ kind: 'semaphore', max: 5, waitingCount: 0, waiters: [] })
    expect(pool!.holders).toMatchObject([{ share: { kind: 'permits', weight: 2 } }])
    await b.provider.registry.resize('pool', 9)
    expect(await b.provider.registry.read('pool')).toMatchObject({ max: 9 })
  })

  example('does not know what nobody uses', async (b) => {
    expect(await b.provider.registry.read('orders')).toBeUndefined()
    const held = mutex('orders')
    await b.take(held)
    await b.release(held)
    expect(await b.provider.registry.read('orders')).toBeUndefined()
    expect(await b.provider.registry.list({ prefix: '', limit: 10 })).toEqual({ locks: [] })
  })

  example('knows a semaphore whose size was set, although nobody uses it', async (b) => {
    const { registry } = b.provider
    await registry.resize('pool', 4)
    const idle = { name: 'pool', kind: 'semaphore', holders: [], waiters: [], waitingCount: 0, max: 4 }
    expect(await registry.read('pool')).toEqual(idle)
    const held = permits('pool', 1, 9)
    await b.take(held)
    expect(await registry.read('pool')).toMatchObject({ max: 4, holders: [{ token: held.token }] })
    await b.release(held)
    expect(await registry.read('pool')).toEqual(idle)
    expect(await registry.list({ prefix: '', limit: 10 })).toEqual({ locks: [] })
  })

  example('does not show what ended by itself', async (b) => {
    await b.take(mutex('orders', { ttlMs: SHORT }))
    await b.take(permits('pool', 1, 2, { ttlMs: SHORT }))
    await b.take(reader('page', { ttlMs: SHORT }))
    await b.harness.elapse(PAST_SHORT)
    expect(await b.provider.registry.read('orders')).toBeUndefined()
    expect(await b.provider.registry.read('page')).toBeUndefined()
    expect((await everyPage(b, '', 10)).flat()).toEqual([])
  })

  example('shows what a renewal prolonged', async (b) => {
    const held = [mutex('orders', { ttlMs: SHORT }), writer('page', { ttlMs: SHORT })]
    for (const each of held) await b.take(each)
    for (const each of held) await b.renew(each, LONG)
    await b.harness.elapse(PAST_SHORT)
    expect(namesOf(await everyPage(b, '', 10)).sort()).toEqual(['orders', 'page'])
  })

  example('lists by prefix, page by page, each lock once', async (b) => {
    const names = Array.from({ length: 25 }, (_, i) => `job:${String(i).padStart(2, '0')}`)
    const others = ['jo', 'job', 'jobs', 'joc', 'zzz']
    await b.provider.leases.acquire([...names, ...others].map((name, i) => [mutex, reader][i % 2]!(name)))
    const pages = await everyPage(b, 'job:', 10)
    expect(namesOf(pages)).toEqual(names)
    expect(pages).toHaveLength(3)
    expect(namesOf(await everyPage(b, '', 7))).toEqual([...names, ...others].sort())
    expect(namesOf(await everyPage(b, 'nothing', 7))).toEqual([])
  })

  example('ends with a full page when there is no more', async (b) => {
    await b.provider.leases.acquire([mutex('a'), mutex('b')])
    expect(namesOf([[...(await b.provider.registry.list({ prefix: '', limit: 2 })).locks]])).toEqual(['a', 'b'])
    expect(namesOf(await everyPage(b, '', 2))).toEqual(['a', 'b'])
  })

  example('takes a prefix literally', async (b) => {
    await b.provider.leases.acquire(oddNames.map((name) => mutex(name)))
    for (const name of oddNames) expect(namesOf(await everyPage(b, name, 50))).toContain(name)
    expect(namesOf(await everyPage(b, '%', 50))).toEqual(['%_*?[x]^$\\'])
    expect(namesOf(await everyPage(b, '*', 50))).toEqual([])
    expect(namesOf(await everyPage(b, '_', 50))).toEqual(['__proto__'])
    expect(new Set(namesOf(await everyPage(b, '', 5)))).toEqual(new Set(oddNames))
  })

  example('bounds how many of those who wait it shows, and counts them all', async (b) => {
    const inbox = await b.inbox()
    const wanted = Array.from({ length: 301 }, () => waiting(mutex('orders'), inbox))
    await b.provider.leases.acquire(wanted)
    const state = (await b.provider.registry.read('orders'))!
    expect(state.waitingCount).toBe(300)
    expect(state.waiters.length).toBeGreaterThan(0)
    expect(state.waiters.length).toBeLessThanOrEqual(300)
    expect(state.waiters.map((each) => each.token)).toEqual(
      wanted.slice(1, 1 + state.waiters.length).map((each) => each.token),
    )
  })
}
