import { type JsonObject, silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { type Coordinator, coordinator } from '@lockstep/coordination'
import { type CustomActivity, Engine } from '@lockstep/engine'
import { type Db, openPostgres, postgresCoordination, postgresEngineStore } from '@lockstep/postgres'
import { cloneDatabase } from '@lockstep/testing/harness'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10))

describe('critical-section', () => {
  let db: Db
  let drop: () => Promise<void>
  let inside = 0
  let most = 0
  let fences: bigint[]
  let told: string[]
  const opened: { close(): Promise<void> }[] = []

  beforeEach(async () => {
    const database = await cloneDatabase(inject('postgres'))
    db = await openPostgres({ url: database.url, ...edge })
    drop = () => database.drop()
    inside = 0
    most = 0
    fences = []
    told = []
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
  const touch = (): CustomActivity => ({
    type: 'touch',
    kind: 'action',
    title: 'Touch',
    description: 'For tests.',
    inputs: { type: 'object' },
    outcomes: ['done'],
    runs: 'effect',
    run: async ({ fence, hangs }, { signal, step }) => {
      fences.push(BigInt(String(fence ?? 0)))
      inside += 1
      most = Math.max(most, inside)
      if (hangs) {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
        told.push(step)
      } else await new Promise((resolve) => setImmediate(resolve))
      inside -= 1
      return { kind: 'completed', outcome: 'done', output: inside }
    },
  })
  const node = async (locks: Coordinator | undefined, concurrency = 100): Promise<Engine> => {
    const store = postgresEngineStore(db)
    const engine = await Engine.open({ ...edge, store, locks, concurrency, activities: [touch()] })
    let closed: Promise<void> | undefined
    opened.push({
      close: () => {
        closed ??= engine.close(200)
        return closed
      },
    })
    return engine
  }
  const publish = async (
    engine: Engine,
    document: { readonly id: string; readonly [member: string]: unknown },
  ): Promise<void> => {
    await engine.definitions.create('default', document as JsonObject)
    await engine.definitions.publish('default', document.id)
  }
  const end = (engine: Engine, id: string) => engine.waitForEnd(id, { limitMs: 30_000 })
  const until = async (look: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await look())) await soon()
  }
  const touching = (id: string) => ({ id, type: 'touch', inputs: { fence: { $expr: 'steps.till.output.fence' } } })
  const section = (more: object = {}, body: readonly object[] = []) => ({
    id: 'till',
    type: 'critical-section',
    inputs: { lock: 'till', ttl: '30s' },
    body: {
      activities: [touching('take'), ...body],
      connections: body.map((each) => ({ from: 'take', to: (each as { id: string }).id })),
    },
    ...more,
  })
  const askBetweenTouches = {
    activities: [
      touching('take'),
      { id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } },
      touching('take-again'),
    ],
    connections: [
      { from: 'take', to: 'ask' },
      { from: 'ask', to: 'take-again' },
    ],
  }
  const holders = async (locks: Coordinator): Promise<number> => (await locks.monitor.read('till'))?.holders.length ?? 0

  it('lets one instance in at a time, on two nodes, with rising fences that the body sees', async () => {
    const nodes = [await node(openLocks()), await node(openLocks())]
    await publish(nodes[0]!, { id: 'guarded', activities: [section()] })
    const ids = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => (await nodes[at % 2]!.start({ definitionId: 'guarded' })).instanceId),
    )
    for (const id of ids) expect(await end(nodes[0]!, id)).toMatchObject({ status: 'completed' })
    expect(most).toBe(1)
    expect(new Set(fences).size).toBe(12)
    expect(fences).toEqual([...fences].sort((a, b) => (a < b ? -1 : 1)))
  })

  it('holds the lock while its body waits, takes it again after a move, and gives it back', async () => {
    const locks = openLocks()
    const one = await node(locks)
    await publish(one, {
      id: 'moved',
      activities: [
        section({ body: askBetweenTouches }),
        { id: 'out', type: 'set-output', inputs: { name: 'fence', value: { $expr: 'steps.till.output.fence' } } },
      ],
      connections: [{ from: 'till', to: 'out' }],
    })
    const { instanceId } = await one.start({ definitionId: 'moved' })
    await until(async () => (await one.get(instanceId)).waitingFor.length === 1)
    expect(await holders(locks)).toBe(1)
    await one.close(0)
    const other = openLocks()
    const two = await node(other)
    // Nobody woke it: whoever takes it next holds the lock again before anything inside goes on.
    await two.publish({ name: 'go' })
    const over = await end(two, instanceId)
    expect(over).toMatchObject({ status: 'completed' })
    expect(fences).toHaveLength(2)
    expect(fences[1]).toBeGreaterThan(fences[0]!)
    expect(over?.output).toEqual({ fence: String(fences[1]) })
    await until(async () => (await holders(other)) === 0)
    expect((await two.journal(instanceId)).some((row) => row.kind === 'locked')).toBe(true)
  })

  /** A section that waits inside, whose node has gone, and whose lock somebody else has taken since. */
  const takenMeanwhile = async (id: string, body: object) => {
    const one = await node(openLocks())
    await publish(one, {
      id,
      activities: [
        section({ body }),
        { id: 'out', type: 'set-output', inputs: { name: 'fence', value: { $expr: 'steps.till.output.fence' } } },
      ],
      connections: [{ from: 'till', to: 'out' }],
    })
    const { instanceId } = await one.start({ definitionId: id })
    await until(async () => (await one.get(instanceId)).waitingFor.length === 1)
    await one.close(0)
    const theirs = openLocks()
    const held = await theirs.mutex('till').acquire({ waitMs: 10_000 })
    return { instanceId, held, monitor: theirs.monitor, two: await node(openLocks()) }
  }

  it('runs nothing inside after a move before it has the lock again', async () => {
    const { instanceId, held, monitor, two } = await takenMeanwhile('back', askBetweenTouches)
    await two.publish({ name: 'go' })
    await until(async () => ((await monitor.read('till'))?.waitingCount ?? 0) > 0)
    expect((await two.journal(instanceId)).some(({ data }) => (data as { step?: string }).step === 'till.ask')).toBe(
      true,
    )
    expect(fences).toHaveLength(1)
    const why = await two.why(instanceId)
    expect(why.blockers).toMatchObject([{ kind: 'lock' }])
    expect(why.text).toContain('waits for lock "till", which it had before it moved, held by node')
    await held.release()
    expect(await end(two, instanceId)).toMatchObject({ status: 'completed', output: { fence: String(fences[1]) } })
    expect(fences[1]).toBeGreaterThan(held.fence)
  })

  it('gives the lock back when it is over, though the instance waits on, and is not said to wait for it then', async () => {
    const locks = openLocks()
    const engine = await node(locks)
    const ask = { id: 'ask', type: 'wait-for-event', inputs: { event: 'later' } }
    await publish(engine, { id: 'left', activities: [section(), ask], connections: [{ from: 'till', to: 'ask' }] })
    const { instanceId } = await engine.start({ definitionId: 'left' })
    await until(async () => (await engine.get(instanceId)).status === 'suspended')
    await using _held = await locks.mutex('till').acquire({ waitMs: 10_000 })
    expect((await engine.why(instanceId)).blockers).toEqual([])
  })

  it('ends after a move without the lock where the answer that it waited for leaves nothing inside to run', async () => {
    const last = {
      activities: askBetweenTouches.activities.slice(0, 2),
      connections: askBetweenTouches.connections.slice(0, 1),
    }
    const { instanceId, held, two } = await takenMeanwhile('over', last)
    await two.publish({ name: 'go' })
    // The others have the lock all the time. The fence is that of the grant under which the body ran, and theirs is higher.
    expect(await end(two, instanceId)).toMatchObject({ status: 'completed', output: { fence: String(fences[0]) } })
    expect(held.signal.aborted).toBe(false)
    expect([fences.length, held.fence > fences[0]!]).toEqual([1, true])
    expect((await two.journal(instanceId)).some(({ kind }) => kind === 'locked')).toBe(false)
    await held.release()
    await using free = await openLocks().mutex('till').acquire({ waitMs: 5_000 })
    expect(free.fence).toBeGreaterThan(held.fence)
  })

  it('leaves through timeout, or fails with LOCK_TIMEOUT where nothing is connected', async () => {
    const locks = openLocks()
    await using _held = await locks.mutex('till').acquire()
    const engine = await node(openLocks())
    const inputs = { lock: 'till', waitTimeout: '300ms' }
    await publish(engine, { id: 'impatient', activities: [section({ inputs })] })
    await publish(engine, {
      id: 'calm',
      activities: [section({ inputs }), { id: 'late', type: 'set-output', inputs: { name: 'late', value: true } }],
      connections: [{ from: 'till', outcome: 'timeout', to: 'late' }],
    })
    await publish(engine, { id: 'hasty', activities: [section({ inputs: { lock: 'till', waitTimeout: 0 } })] })
    const ends = await Promise.all(
      ['impatient', 'calm', 'hasty'].map(async (definitionId) =>
        end(engine, (await engine.start({ definitionId })).instanceId),
      ),
    )
    expect(ends).toMatchObject([
      { status: 'faulted', error: { code: 'LOCK_TIMEOUT' } },
      { status: 'completed', output: { late: true } },
      { status: 'faulted', error: { code: 'LOCK_TIMEOUT' } },
    ])
    expect(fences).toEqual([])
  })

  it('does not keep a worker from others while it waits, says which lock is in its way, and goes on when it is free', async () => {
    const locks = openLocks()
    const held = await locks.mutex('till').acquire({ meta: { instanceId: 'somebody' } })
    const engine = await node(openLocks(), 1)
    await publish(engine, { id: 'patient', activities: [section()] })
    await publish(engine, { id: 'other', activities: [{ id: 'touch', type: 'touch' }] })
    const { instanceId } = await engine.start({ definitionId: 'patient' })
    await until(async () => (await engine.journal(instanceId)).some((row) => row.kind === 'waiting'))
    const other = await engine.start({ definitionId: 'other' })
    expect(await end(engine, other.instanceId)).toMatchObject({ status: 'completed' })
    const why = await engine.why(instanceId)
    expect(why.blockers).toMatchObject([{ kind: 'lock', step: expect.any(String), key: expect.any(String) }])
    expect(why.text).toContain('waits for lock "till", held by instance somebody')
    await held.release()
    expect(await end(engine, instanceId)).toMatchObject({ status: 'completed' })
  })

  it('cancels its body and fails with LEASE_LOST when the lock is broken', async () => {
    const locks = openLocks()
    const engine = await node(locks)
    await publish(engine, {
      id: 'broken',
      activities: [section({ body: { activities: [{ id: 'take', type: 'touch', inputs: { hangs: true } }] } })],
    })
    const { instanceId } = await engine.start({ definitionId: 'broken' })
    await until(() => inside === 1)
    await locks.monitor.break('till', 'by hand')
    expect(await end(engine, instanceId)).toMatchObject({
      status: 'faulted',
      error: { code: 'LEASE_LOST', step: 'till' },
    })
    expect(told).toEqual(['till.take'])
  })

  it('gives the lock back when the instance is cancelled inside', async () => {
    const locks = openLocks()
    const engine = await node(locks)
    await publish(engine, {
      id: 'stopped',
      activities: [section({}, [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'never' } }])],
    })
    const { instanceId } = await engine.start({ definitionId: 'stopped' })
    await until(async () => (await engine.get(instanceId)).waitingFor.length === 1)
    await engine.cancel(instanceId)
    expect(await end(engine, instanceId)).toMatchObject({ status: 'cancelled' })
    await using lease = await locks.mutex('till').acquire({ waitMs: 5_000 })
    expect(lease.ok).toBe(true)
  })

  it('does not wait for itself inside a section of the same lock', async () => {
    const engine = await node(openLocks())
    const inner = {
      id: 'inner',
      type: 'critical-section',
      inputs: { lock: 'till' },
      body: { activities: [{ id: 'in', type: 'touch' }] },
    }
    await publish(engine, { id: 'nested', activities: [section({}, [inner])] })
    const { instanceId } = await engine.start({ definitionId: 'nested' })
    expect(await end(engine, instanceId)).toMatchObject({ status: 'completed' })
  })

  it('fails with its own code where the engine has no locks', async () => {
    const engine = await node(undefined)
    await publish(engine, { id: 'bare', activities: [section()] })
    const { instanceId } = await engine.start({ definitionId: 'bare' })
    expect(await end(engine, instanceId)).toMatchObject({ status: 'faulted', error: { code: 'LOCKS_NOT_CONFIGURED' } })
  })
})
