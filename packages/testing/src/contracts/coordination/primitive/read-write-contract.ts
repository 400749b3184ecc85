import { expect } from 'vitest'
import { type ContractOptions, contract, type Example } from '../contract.ts'
import type { OpenCoordination } from '../harness.ts'
import { busy, held, lossOf, type PrimitiveBench, primitiveBench, SHORT_TTL } from './primitive-bench.ts'

function readWriteExamples(example: Example<PrimitiveBench>): void {
  example('lets readers of all processes in together, and a writer alone', async (b) => {
    const [one, two] = [(await b.coordinator()).readWrite('page'), (await b.coordinator()).readWrite('page')]
    const readers = [await one.read.acquire(), await one.read.acquire(), held(await two.read.tryAcquire())]
    busy(await one.write.tryAcquire())
    for (const each of readers) expect(await each.release()).toBe('released')
    const writer = held(await two.write.tryAcquire())
    busy(await one.read.tryAcquire())
    busy(await two.read.tryAcquire())
    expect(writer.fence).toBeGreaterThan(readers[0]!.fence)
    await writer.release()
  })

  example('starves neither side', async (b) => {
    const [one, two, three] = [
      (await b.coordinator()).readWrite('page'),
      (await b.coordinator()).readWrite('page'),
      (await b.coordinator()).readWrite('page'),
    ]
    const order: string[] = []
    const first = await one.read.acquire()
    const writes = two.write.run(() => void order.push('write'))
    await b.waiting('page', 1)
    const reads = three.read.run(() => void order.push('read'))
    await b.waiting('page', 2)
    await first.release()
    await Promise.all([writes, reads])
    expect(order).toEqual(['write', 'read'])

    const writer = await one.write.acquire()
    const nextWriter = two.write.run(() => void order.push('second write'))
    await b.waiting('page', 1)
    const late = three.read.run(() => void order.push('late read'))
    await b.waiting('page', 2)
    await writer.release()
    await Promise.all([nextWriter, late])
    expect(order.slice(2)).toEqual(['late read', 'second write'])
  })

  example('keeps writers apart and readers out of their way, many at once', async (b) => {
    const locks = await Promise.all(Array.from({ length: 3 }, async () => (await b.coordinator()).readWrite('page')))
    let [readers, writers, most] = [0, 0, 0]
    const read = async (i: number): Promise<void> =>
      locks[i % 3]!.read.run(async () => {
        readers += 1
        most = Math.max(most, readers)
        expect(writers).toBe(0)
        await b.harness.elapse(3)
        readers -= 1
      })
    const write = async (i: number): Promise<void> =>
      locks[i % 3]!.write.run(async () => {
        writers += 1
        expect([readers, writers]).toEqual([0, 1])
        await b.harness.elapse(1)
        expect([readers, writers]).toEqual([0, 1])
        writers -= 1
      })
    await Promise.all(Array.from({ length: 24 }, (_, i) => (i % 4 === 0 ? write(i) : read(i))))
    expect(most).toBeGreaterThan(1)
    expect(await b.harness.provider.registry.read('page')).toBeUndefined()
  })

  example('turns a writer into a reader without letting another writer between', async (b) => {
    const [one, two] = [(await b.coordinator()).readWrite('page'), (await b.coordinator()).readWrite('page')]
    const lease = await one.write.acquire()
    const pending = two.write.acquire()
    await b.waiting('page', 1)
    await one.downgrade(lease)
    lease.assertHeld()
    expect(await lease.verify()).toBe(true)
    expect(await b.places('page')).toBe(1)
    expect(await lease.release()).toBe('released')
    const writer = await pending
    expect(writer.fence).toBeGreaterThan(lease.fence)
    await writer.release()
  })

  example('lets waiting readers in when a writer becomes a reader', async (b) => {
    const [one, two] = [(await b.coordinator()).readWrite('page'), (await b.coordinator()).readWrite('page')]
    const lease = await one.write.acquire()
    const pending = two.read.acquire()
    await b.waiting('page', 1)
    await one.downgrade(lease)
    await (await pending).release()
    lease.assertHeld()
  })

  example('turns the only reader into a writer, with a higher fence', async (b) => {
    const [one, two] = [(await b.coordinator()).readWrite('page'), (await b.coordinator()).readWrite('page')]
    const lease = await one.read.acquire()
    const before = lease.fence
    expect(await one.tryUpgrade(lease)).toBe(true)
    expect(lease.fence).toBeGreaterThan(before)
    busy(await two.read.tryAcquire())
    expect(await lease.release()).toBe('released')
    held(await two.write.tryAcquire())
  })

  example('does not turn one of several readers into a writer', async (b) => {
    const [one, two] = [(await b.coordinator()).readWrite('page'), (await b.coordinator()).readWrite('page')]
    const [lease, other] = [await one.read.acquire(), await two.read.acquire()]
    expect(await one.tryUpgrade(lease)).toBe(false)
    expect(await two.tryUpgrade(other)).toBe(false)
    lease.assertHeld()
    await other.release()
    expect(await one.tryUpgrade(lease)).toBe(true)
  })

  example('refuses to turn what was lost', async (b) => {
    const one = (await b.coordinator()).readWrite('page')
    const lease = await one.write.acquire()
    await b.harness.provider.registry.break('page', { reason: 'contract', by: 'somebody' })
    await lossOf(b, lease)
    await expect(one.downgrade(lease)).rejects.toMatchObject({ code: 'LEASE_LOST' })
  })

  example('renews every reader by itself', async (b) => {
    const [one, two] = [(await b.coordinator()).readWrite('page'), (await b.coordinator()).readWrite('page')]
    const stays = await one.read.acquire({ ttlMs: SHORT_TTL })
    const ends = await two.read.acquire({ ttlMs: SHORT_TTL, renew: false })
    await lossOf(b, ends)
    await b.harness.elapse(2 * SHORT_TTL)
    stays.assertHeld()
    busy(await two.write.tryAcquire())
    expect(await one.tryUpgrade(stays)).toBe(true)
  })
}

/** A read/write lock as its users see it, on any provider. */
export function readWriteContract(provider: string, open: OpenCoordination, options: ContractOptions = {}): void {
  contract<PrimitiveBench>(`${provider}: read/write lock contract`, open, options, primitiveBench, {
    'reading and writing': readWriteExamples,
  })
}
