import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { type Coordinator, coordinator, memoryProvider } from '@lockstep/coordination'
import { type EffectActivity, workflow } from '@lockstep/engine'
import { afterEach, describe, expect, it } from 'vitest'
import { openTestEngine } from '../engine/open-test-engine.ts'
import { until } from '../faults/until.ts'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const opened: Coordinator[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})
const openLocks = (): Coordinator => {
  const locks = coordinator({ provider: memoryProvider(edge), ownsProvider: true, ttlMs: 60_000, ...edge })
  opened.push(locks)
  return locks
}
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('a lock of a step', () => {
  it('is held by one attempt at a time, in order, with a rising fence; functions and graphs', async () => {
    let inside = 0
    let most = 0
    const fences: bigint[] = []
    const guarded = async (fence: bigint | undefined): Promise<void> => {
      inside += 1
      most = Math.max(most, inside)
      fences.push(fence!)
      await pause(5)
      inside -= 1
    }
    const writes: EffectActivity = {
      ...{ type: 'write', kind: 'action', title: 'Write', description: 'Writes.', outcomes: ['done'] },
      inputs: { type: 'object' },
      runs: 'effect',
      run: async (_inputs, { fence }) => {
        await guarded(fence)
        return { kind: 'completed', outcome: 'done' }
      },
    }
    const flow = workflow('flow', async (ctx) => ctx.step('write', ({ fence }) => guarded(fence), { lock: 'file' }))
    await using test = await openTestEngine({ workflows: [flow], activities: [writes], locks: openLocks() })
    await test.publish({ id: 'graph', activities: [{ id: 'w', type: 'write', lock: { $expr: "'fi' + 'le'" } }] })
    const ends = await Promise.all(
      Array.from({ length: 16 }, (_, n) => test.run(n % 2 === 0 ? 'flow' : 'graph').then((end) => end.status)),
    )
    expect(new Set(ends)).toEqual(new Set(['completed']))
    expect(most).toBe(1)
    expect(fences).toHaveLength(16)
    expect(fences).toEqual([...fences].sort((a, b) => (a < b ? -1 : 1)))
    expect(new Set(fences).size).toBe(16)
  })

  it('fails with LOCK_TIMEOUT when somebody else keeps it, and with why named until then', async () => {
    const locks = openLocks()
    const flow = workflow('flow', async (ctx, input: { waitMs: number }) =>
      ctx.step('write', () => 'written', { lock: { name: 'file', waitMs: input.waitMs } }),
    )
    await using test = await openTestEngine({ workflows: [flow], locks })
    const lease = await locks.mutex('file').acquire()
    expect((await test.run('flow', { waitMs: 300 })).error).toMatchObject({ code: 'LOCK_TIMEOUT' })
    const { instanceId } = await test.engine.start({ definitionId: 'flow', input: { waitMs: 60_000 } })
    await until('why tells', async () =>
      (await test.engine.why(instanceId)).blockers.some(({ kind }) => kind === 'lock'),
    )
    expect((await test.engine.why(instanceId)).text).toContain('Lock "file" holds step "write" back')
    await lease.release()
    expect((await test.engine.waitForEnd(instanceId))?.output).toBe('written')
  })

  it('aborts the attempt when it is lost, and the attempt has failed', async () => {
    const locks = openLocks()
    let told = false
    const flow = workflow('flow', async (ctx) =>
      ctx.step(
        'write',
        async ({ signal, attempt, fence }) => {
          if (attempt > 1) return String(fence)
          const lost = new Promise((resolve) => signal.addEventListener('abort', resolve))
          await locks.monitor.break('file', 'for the test')
          await lost
          told = true
          return 'too late'
        },
        { lock: 'file', retry: { attempts: 2, initial: 10 } },
      ),
    )
    await using test = await openTestEngine({ workflows: [flow], locks })
    const { output, instanceId } = await test.run('flow')
    expect(told).toBe(true)
    expect(output).toMatch(/^\d+$/)
    const retried = (await test.engine.journal(instanceId)).find((row) => row.kind === 'retrying')
    expect(retried?.data).toMatchObject({ error: { code: 'LEASE_LOST' } })
  })

  it('is refused by an engine that has no locks', async () => {
    const flow = workflow('flow', async (ctx) => ctx.step('write', () => 1, { lock: 'file' }))
    await using test = await openTestEngine({ workflows: [flow] })
    expect((await test.run('flow')).error).toMatchObject({ code: 'LOCKS_NOT_CONFIGURED' })
  })

  it('and a limit together let everybody through', async () => {
    let inside = 0
    let most = 0
    const flow = workflow('flow', async (ctx) =>
      ctx.step(
        'write',
        async () => {
          inside += 1
          most = Math.max(most, inside)
          await pause(5)
          inside -= 1
        },
        { lock: 'file', limit: { key: 'disk', concurrency: 2 } },
      ),
    )
    await using test = await openTestEngine({ workflows: [flow], locks: openLocks() })
    const ends = await Promise.all(Array.from({ length: 10 }, () => test.run('flow').then((end) => end.status)))
    expect(new Set(ends)).toEqual(new Set(['completed']))
    expect(most).toBe(1)
  })
})
