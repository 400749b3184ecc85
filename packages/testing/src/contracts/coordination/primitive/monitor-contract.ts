import { expect } from 'vitest'
import { type ContractOptions, contract, type Example } from '../contract.ts'
import type { OpenCoordination } from '../harness.ts'
import { busy, errorOf, lossOf, type PrimitiveBench, primitiveBench } from './primitive-bench.ts'

function monitorExamples(example: Example<PrimitiveBench>): void {
  example('shows the locks of all processes, by prefix, with who holds and who waits', async (b) => {
    const [one, two] = [await b.coordinator({ name: 'one' }), await b.coordinator({ name: 'two' })]
    const watch = (await b.coordinator()).monitor
    const lease = await one.mutex('job:1').acquire({ meta: { task: 'import' } })
    await one.readWrite('other').read.acquire()
    const pending = two.mutex('job:1').acquire()
    await b.standing('job:1', two)
    const { locks, next } = await watch.list({ prefix: 'job:' })
    expect(next).toBeUndefined()
    expect(locks).toMatchObject([
      {
        name: 'job:1',
        kind: 'mutex',
        holders: [{ holder: { node: 'one', nodeId: one.id, meta: { task: 'import' } }, fence: lease.fence }],
        waiters: [{ holder: { node: 'two', nodeId: two.id } }],
        waitingCount: 1,
      },
    ])
    expect(await watch.waiters({ prefix: 'job:' })).toMatchObject([{ lock: 'job:1', holder: { nodeId: two.id } }])
    expect((await watch.read('other'))?.kind).toBe('read-write')
    expect(await watch.read('nothing')).toBeUndefined()
    await lease.release()
    await (await pending).release()
  })

  example('breaks a lock, tells its holder, and writes it down', async (b) => {
    const one = await b.coordinator({ name: 'one' })
    const watch = (await b.coordinator({ name: 'the operator' })).monitor
    const lease = await one.mutex('orders').acquire()
    expect(await watch.break('orders', 'it hangs')).toMatchObject([{ holder: { nodeId: one.id } }])
    expect(await lossOf(b, lease)).toMatchObject({ details: { reason: 'revoked' } })
    expect(await watch.history('orders')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'broken', reason: 'it hangs', by: expect.stringContaining('the operator') }),
      ]),
    )
    expect(await watch.break('orders', 'again')).toEqual([])
  })

  example('asks a holder to yield', async (b) => {
    const one = await b.coordinator()
    const watch = (await b.coordinator()).monitor
    const lease = await one.mutex('orders').acquire()
    expect(await watch.requestYield('orders', 'a deploy waits')).toMatchObject([{ holder: { nodeId: one.id } }])
    await b.until('the holder is asked', () => lease.yieldSignal.aborted)
    lease.assertHeld()
  })

  example('finds those who wait in a circle', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const watch = (await b.coordinator()).monitor
    const owners = [{ meta: { owner: 'task one' } }, { meta: { owner: 'task two' } }] as const
    const leases = [await one.mutex('a').acquire(owners[0]), await two.mutex('b').acquire(owners[1])]
    expect((await watch.graph()).deadlocks).toEqual([])
    const pending = [one.mutex('b').acquire(owners[0]), two.mutex('a').acquire(owners[1])]
    await b.standing('b', one)
    await b.standing('a', two)
    const { waits, deadlocks, truncated } = await watch.graph()
    expect(truncated).toBe(false)
    expect(waits).toHaveLength(2)
    expect(deadlocks).toMatchObject([{ certain: true }])
    expect(deadlocks[0]!.actors).toHaveLength(2)
    for (const actor of ['task one', 'task two'])
      expect(deadlocks[0]!.actors).toEqual(expect.arrayContaining([expect.stringContaining(actor)]))
    for (const lease of leases) await lease.release()
    for (const each of pending) await (await each).release()
    expect((await watch.graph()).deadlocks).toEqual([])
  })

  example('finds leases whose holder is gone', async (b) => {
    const [one, watching] = [await b.coordinator(), await b.coordinator()]
    const watch = watching.monitor
    await one.mutex('alive').acquire()
    const holder = JSON.stringify({ nodeId: 'long gone', node: 'ghost', pid: 1, host: 'here' })
    const key = { name: 'orphan', token: 'ghost', kind: 'mutex', share: { kind: 'mutex' } } as const
    await b.harness.provider.leases.acquire([{ ...key, ttlMs: 60_000, fenceCount: 1, holder }])
    await b.until('the living have said so', async () => {
      const stale = await watch.stale()
      return stale.length === 1
    })
    expect(await watch.stale()).toMatchObject([{ lock: 'orphan', holder: { node: 'ghost' } }])
    expect(await watch.stale({ prefix: 'alive' })).toEqual([])
  })

  example('counts what this process asked for, by pattern of names', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const { monitor } = one
    for (const id of [1, 2, 3]) await (await one.mutex(`order:${id}`).acquire()).release()
    const lease = await two.mutex('order:4').acquire()
    busy(await one.mutex('order:4').tryAcquire())
    await errorOf(one.mutex('order:4').acquire({ waitMs: 60 }))
    await lease.release()
    const [stats] = monitor.stats()
    expect(stats).toMatchObject({ asked: 5, granted: 3, released: 3, refused: 1, timedOut: 1, lost: 0 })
    expect(stats!.pattern).toMatch(/^order:\W$/)
    expect(stats!.waitMs.p99).toBeGreaterThanOrEqual(stats!.waitMs.p50)
    expect(monitor.events({ name: 'order:1' }).map((event) => event.type)).toEqual(['asked', 'granted', 'released'])
  })

  example('reports on its health, with a round trip and what to do', async (b) => {
    const report = await (await b.coordinator()).health()
    const checks = report.findings.map((finding) => finding.check)
    expect(checks).toEqual(expect.arrayContaining(['round-trip']))
    for (const { level, fix } of report.findings) if (level !== 'ok') expect(fix).toEqual(expect.stringMatching(/\w/))
  })

  example('knows who takes part, and forgets those who closed', async (b) => {
    const [one, two] = [await b.coordinator({ name: 'one' }), await b.coordinator({ name: 'two' })]
    await one.mutex('a').acquire()
    await two.mutex('b').acquire()
    await b.until('both are seen', async () => (await one.members()).length === 2)
    expect((await one.members()).map((member) => member.name).sort()).toEqual(['one', 'two'])
    await two.close()
    expect((await one.members()).map((member) => member.id)).toEqual([one.id])
  })
}

/** The monitor, health and members as operators see them, on any provider. */
export function monitorContract(provider: string, open: OpenCoordination, options: ContractOptions = {}): void {
  contract<PrimitiveBench>(`${provider}: monitor contract`, open, options, primitiveBench, {
    looking: monitorExamples,
  })
}
