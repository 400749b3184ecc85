import { deferred, silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { type Coordinator, coordinator } from '@lockstep/coordination'
import { type AnyWorkflow, Engine, StepFailed, workflow } from '@lockstep/engine'
import { type Db, openPostgres, postgresCoordination, postgresEngineStore } from '@lockstep/postgres'
import { cloneDatabase } from '@lockstep/testing/harness'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }

describe('ctx.lock', () => {
  let db: Db
  let drop: () => Promise<void>
  const opened: { close(): Promise<void> }[] = []
  beforeEach(async () => {
    const database = await cloneDatabase(inject('postgres'))
    db = await openPostgres({ url: database.url, ...edge })
    drop = () => database.drop()
  })
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close()
    await db.close()
    await drop()
  })

  /** Nobody's lease ends because the machine stands still for a moment; who leaves gives back what it has. */
  const openLocks = (): Coordinator => {
    const locks = coordinator({ provider: postgresCoordination(db, edge), ownsProvider: true, ttlMs: 30_000, ...edge })
    opened.push(locks)
    return locks
  }
  const node = async (workflows: readonly AnyWorkflow[], locks: Coordinator | undefined): Promise<Engine> => {
    const engine = await Engine.open({ ...edge, store: postgresEngineStore(db), workflows, locks })
    let closed: Promise<void> | undefined
    opened.push({
      close: () => {
        closed ??= engine.close(200)
        return closed
      },
    })
    return engine
  }
  const end = (engine: Engine, id: string) => engine.waitForEnd(id, { limitMs: 30_000 })

  it('lets one instance into the section at a time, on two nodes, with rising fences', async () => {
    let inside = 0
    const fences: bigint[] = []
    const guarded = workflow('guarded', async (ctx) =>
      ctx.lock('till', async (lock) => {
        inside += 1
        fences.push(lock.fence)
        const alone = await ctx.step('look', async () => {
          await new Promise((resolve) => setImmediate(resolve))
          return inside
        })
        inside -= 1
        return alone
      }),
    )
    const nodes = [await node([guarded], openLocks()), await node([guarded], openLocks())]
    const ids = await Promise.all(
      Array.from({ length: 20 }, async (_, turn) => {
        const { instanceId } = await nodes[turn % 2]!.start({ definitionId: 'guarded' })
        return instanceId
      }),
    )
    const ends = await Promise.all(ids.map((id) => end(nodes[0]!, id)))
    expect(ends.map((each) => each?.output)).toEqual(ids.map(() => 1))
    expect(fences).toEqual([...fences].sort((a, b) => (a < b ? -1 : 1)))
    expect(new Set(fences).size).toBe(20)
  })

  it('takes the lock again after a move, goes on inside, and lets other branches of the code wait for that', async () => {
    const runs: string[] = []
    const moved = workflow('moved', async (ctx) => {
      const [inLock, beside] = await ctx.all([
        ctx.lock('till', async () => {
          const first = await ctx.step('first', async () => runs.push('first'))
          await ctx.waitFor('go')
          return first
        }),
        (async () => {
          await ctx.waitFor('also')
          return ctx.step('beside', async () => runs.push('beside'))
        })(),
      ])
      return [inLock, beside]
    })
    const locks = openLocks()
    const one = await node([moved], locks)
    const { instanceId } = await one.start({ definitionId: 'moved' })
    while ((await one.get(instanceId)).waitingFor.length < 2) await new Promise((resolve) => setTimeout(resolve, 10))
    expect((await locks.monitor.read('till'))?.holders).toHaveLength(1)
    await one.close(0)
    const other = openLocks()
    const two = await node([moved], other)
    await two.publish({ name: 'also' })
    while ((await other.monitor.read('till'))?.holders.length !== 1)
      await new Promise((resolve) => setTimeout(resolve, 10))
    await two.publish({ name: 'go' })
    expect(await end(two, instanceId)).toMatchObject({ status: 'completed', output: [1, 2] })
    expect(runs).toEqual(['first', 'beside'])
    expect((await other.monitor.read('till'))?.holders ?? []).toEqual([])
  })

  it('needs no lock to come past a section that has ended', async () => {
    const past = workflow('past', async (ctx) => {
      const fence = await ctx.lock('till', async (lock) => String(lock.fence))
      await ctx.waitFor('go')
      return fence
    })
    const one = await node([past], openLocks())
    const { instanceId } = await one.start({ definitionId: 'past' })
    while ((await one.get(instanceId)).status !== 'suspended') await new Promise((resolve) => setTimeout(resolve, 10))
    await one.close(0)
    const other = openLocks()
    await using _held = await other.mutex('till').acquire()
    const two = await node([past], other)
    await two.publish({ name: 'go' })
    const output = (await end(two, instanceId))?.output
    expect(BigInt(String(output))).toBeGreaterThan(0n)
  })

  it('fails with LOCK_TIMEOUT, which the code may catch and a replay sees again', async () => {
    let entered = 0
    const patient = workflow('patient', async (ctx) => {
      let said = 'entered'
      try {
        await ctx.lock(
          'till',
          async () => {
            entered += 1
          },
          { waitMs: 100 },
        )
      } catch (error) {
        said = StepFailed.is(error) ? error.details.code : 'something else'
      }
      await ctx.waitFor('go')
      return said
    })
    const locks = openLocks()
    const held = await locks.mutex('till').acquire()
    const one = await node([patient], openLocks())
    const { instanceId } = await one.start({ definitionId: 'patient' })
    while ((await one.get(instanceId)).status !== 'suspended') await new Promise((resolve) => setTimeout(resolve, 10))
    await held.release()
    await one.close(0)
    const two = await node([patient], openLocks())
    await two.publish({ name: 'go' })
    expect((await end(two, instanceId))?.output).toBe('LOCK_TIMEOUT')
    expect(entered).toBe(0)
  })

  it('gives the lock back when the instance is cancelled inside, and tells the section', async () => {
    const told = deferred<boolean>()
    const stuck = workflow('stuck', async (ctx) =>
      ctx.lock('till', async (lock) => {
        lock.signal.addEventListener('abort', () => told.resolve(true), { once: true })
        await ctx.waitFor('never')
      }),
    )
    const locks = openLocks()
    const engine = await node([stuck], locks)
    const { instanceId } = await engine.start({ definitionId: 'stuck' })
    while ((await engine.get(instanceId)).waitingFor.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 10))
    await engine.cancel(instanceId)
    expect((await end(engine, instanceId))?.status).toBe('cancelled')
    expect(await told.promise).toBe(true)
    await using lease = await locks.mutex('till').acquire()
    expect(lease.ok).toBe(true)
  })

  it('fails with its own code where the engine has no locks', async () => {
    const bare = workflow('bare', async (ctx) => ctx.lock('till', async () => 1))
    const engine = await node([bare], undefined)
    const { instanceId } = await engine.start({ definitionId: 'bare' })
    expect(await end(engine, instanceId)).toMatchObject({ status: 'faulted', error: { code: 'LOCKS_NOT_CONFIGURED' } })
  })
})
