import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../engine/open-test-engine.ts'

let test: TestEngine
beforeAll(async () => {
  test = await openTestEngine()
})
afterAll(() => test?.[Symbol.asyncDispose]())

let number = 0
const step = (inputs: object, more: object = {}) => ({ id: 'work', type: 'run-task', inputs, ...more })

/** A workflow of one task under a name of its own, started. */
async function started(inputs: object = {}, more: object = {}, connections: readonly object[] = []) {
  const id = `task-${++number}`
  await test.publish({
    id,
    activities: [
      step({ task: id, payload: { n: number }, ...inputs }, more),
      { id: 'out', type: 'set-output', inputs: { name: 'answer', value: { $expr: 'steps.work.output' } } },
      ...(connections.length === 0 ? [] : [{ id: 'late', type: 'set-output', inputs: { name: 'late', value: true } }]),
    ],
    connections: [{ from: 'work', to: 'out' }, ...connections],
  } as never)
  const { instanceId } = await test.engine.start({ definitionId: id })
  const claim = (more: object = {}) => test.engine.tasks.claim({ tasks: [id], waitMs: 10_000, ...more })
  const ended = () => test.engine.waitForEnd(instanceId, { limitMs: 20_000 })
  return { id, instanceId, claim, ended }
}

describe('run-task', () => {
  it('is claimed by its name and completed, and the workflow goes on with the answer', async () => {
    const { id, instanceId, claim, ended } = await started()
    const [task] = await claim({ worker: 'w1' })
    expect(task).toMatchObject({ name: id, instanceId, status: 'claimed', leaseNo: 1, worker: 'w1' })
    expect(task!.payload).toEqual({ n: number })
    expect(await test.engine.tasks.claim({ tasks: [id] })).toEqual([])
    const hold = { id: task!.id, leaseNo: 1 }
    expect(await test.engine.tasks.heartbeat(hold, { progress: { done: 1 } })).toMatchObject({
      outcome: 'done',
      task: { progress: { done: 1 } },
    })
    expect(await test.engine.tasks.complete(hold, { ok: true })).toMatchObject({ outcome: 'done' })
    expect(await ended()).toMatchObject({ status: 'completed', output: { answer: { ok: true } } })
    expect(await test.engine.tasks.complete(hold, 'again')).toMatchObject({
      outcome: 'already-completed',
      task: { status: 'completed', payload: null },
    })
    const facts = (await test.engine.journal(instanceId)).map((row) => row.data)
    expect(facts).toContainEqual(expect.objectContaining({ step: 'work', by: 'worker' }))
  })

  it('waits for a task that opens later, and is told at once', async () => {
    const id = `task-${number + 1}`
    const waiting = test.engine.tasks.claim({ tasks: [id], waitMs: 20_000 })
    const { ended } = await started()
    const [task] = await waiting
    await test.engine.tasks.complete({ id: task!.id, leaseNo: task!.leaseNo })
    expect((await ended())?.status).toBe('completed')
  })

  it('goes to another worker when the lease is over, and refuses the first one then', async () => {
    const { claim, ended } = await started()
    const [first] = await claim({ leaseMs: 100, worker: 'dies' })
    const [second] = await claim({ worker: 'lives' })
    expect(second).toMatchObject({ id: first!.id, leaseNo: 2, worker: 'lives' })
    const late = { id: first!.id, leaseNo: first!.leaseNo }
    for (const refused of [
      await test.engine.tasks.complete(late, 'late'),
      await test.engine.tasks.heartbeat(late),
      await test.engine.tasks.fail(late, { message: 'late' }),
    ])
      expect(refused).toMatchObject({ outcome: 'lease-lost', task: { status: 'claimed', leaseNo: 2, worker: 'lives' } })
    await test.engine.tasks.complete({ id: second!.id, leaseNo: 2 }, 'second')
    expect(await ended()).toMatchObject({ status: 'completed', output: { answer: 'second' } })
  })

  it('refuses a completion after the lease is over even when nobody else has claimed it', async () => {
    const { claim } = await started()
    const [task] = await claim({ leaseMs: 100 })
    await expect.poll(async () => (await test.engine.tasks.get(task!.id))?.status).toBe('open')
    expect(await test.engine.tasks.complete({ id: task!.id, leaseNo: 1 })).toMatchObject({
      outcome: 'lease-lost',
      task: { status: 'open' },
    })
  })

  it('fails by its code, and is tried again by the retry policy of the step as another task', async () => {
    const { claim, ended } = await started({}, { retry: { attempts: 2, backoff: { initial: '1ms' } } })
    const [first] = await claim()
    await test.engine.tasks.fail({ id: first!.id, leaseNo: 1 }, { code: 'NO_PAPER', message: 'no paper' })
    const [second] = await claim()
    expect(second!.id).not.toBe(first!.id)
    await test.engine.tasks.fail(
      { id: second!.id, leaseNo: 1 },
      { code: 'NO_PAPER', message: 'no paper', data: { tray: 2 } },
    )
    expect(await ended()).toMatchObject({
      status: 'faulted',
      error: { code: 'NO_PAPER', message: 'no paper', data: { tray: 2 }, step: 'work' },
    })
  })

  it('fails at once when the worker says that trying again is of no use', async () => {
    const { claim, ended } = await started({}, { retry: { attempts: 5, backoff: { initial: '1ms' } } })
    const [task] = await claim()
    await test.engine.tasks.fail({ id: task!.id, leaseNo: 1 }, { message: 'never', retryable: false })
    expect(await ended()).toMatchObject({ status: 'faulted', error: { code: 'TASK_FAILED' } })
  })

  it('fails when every worker that may have it falls silent', async () => {
    const { claim, ended } = await started({ maxClaims: 2, lease: '100ms' })
    await claim()
    await claim()
    expect(await claim({ waitMs: 3_000 })).toEqual([])
    expect(await ended()).toMatchObject({ status: 'faulted', error: { code: 'TASK_ABANDONED' } })
  })

  it('leaves through timeout where that is connected, and cannot be completed then', async () => {
    const { claim, ended, id } = await started({ timeout: '300ms' }, {}, [
      { from: 'work', outcome: 'timeout', to: 'late' },
    ])
    const [task] = await claim()
    expect(await ended()).toMatchObject({ status: 'completed', output: { late: true } })
    const hold = { id: task!.id, leaseNo: 1 }
    expect(await test.engine.tasks.complete(hold)).toMatchObject({
      outcome: 'cancelled',
      task: { status: 'cancelled' },
    })
    expect(await test.engine.tasks.heartbeat(hold)).toMatchObject({ outcome: 'cancelled' })
    expect(await test.engine.tasks.claim({ tasks: [id] })).toEqual([])
  })

  it('fails by time-out where timeout is not connected, with retries', async () => {
    const { ended, id, instanceId } = await started(
      { timeout: '50ms' },
      { retry: { attempts: 2, backoff: { initial: '1ms' } } },
    )
    expect(await ended()).toMatchObject({ status: 'faulted', error: { code: 'TASK_TIMED_OUT' } })
    const facts = (await test.engine.journal(instanceId)).map((row) => row.kind)
    expect(facts.filter((kind) => kind === 'waiting')).toHaveLength(2)
    expect(await test.engine.tasks.claim({ tasks: [id] })).toEqual([])
  })

  it('is no longer wanted when its instance is cancelled', async () => {
    const { claim, ended, instanceId } = await started()
    const [task] = await claim()
    await test.engine.cancel(instanceId)
    expect((await ended())?.status).toBe('cancelled')
    expect(await test.engine.tasks.complete({ id: task!.id, leaseNo: 1 })).toMatchObject({ outcome: 'cancelled' })
  })

  it('is handed out once, however many ask at the same time', async () => {
    const { claim } = await started()
    await expect.poll(async () => (await test.engine.tasks.list({ name: `task-${number}` }, 10)).length).toBe(1)
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim({ waitMs: 0 })))
    expect(claims.flat()).toHaveLength(1)
    const { id, leaseNo } = claims.flat()[0]!
    const ends = await Promise.all(Array.from({ length: 10 }, (_, n) => test.engine.tasks.complete({ id, leaseNo }, n)))
    expect(ends.map((end) => end.outcome).sort()).toEqual([...Array(9).fill('already-completed'), 'done'].sort())
  })

  it('lists by state, and tells a stranger nothing', async () => {
    const { id, claim } = await started()
    const [task] = await claim()
    expect(await test.engine.tasks.list({ name: id, status: 'claimed' }, 10)).toMatchObject([{ id: task!.id }])
    expect(await test.engine.tasks.list({ name: id, status: 'open' }, 10)).toEqual([])
    expect(await test.engine.tasks.list({ name: id }, 10, 'other')).toEqual([])
    const stranger = { id: task!.id, leaseNo: 1, tenant: 'other' }
    expect(await test.engine.tasks.complete(stranger)).toEqual({ outcome: 'not-found' })
  })

  it('hands out a few megabytes at a time, however many are asked for', async () => {
    const activities = [{ id: 'work', type: 'run-task', inputs: { task: 'heavy', payload: { $expr: 'input' } } }]
    await test.publish({ id: 'heavy', activities } as never)
    for (let n = 0; n < 25; n += 1) await test.engine.start({ definitionId: 'heavy', input: 'x'.repeat(200_000) })
    await expect
      .poll(async () => (await test.engine.tasks.list({ name: 'heavy' }, 100)).length, { timeout: 20_000 })
      .toBe(25)
    const claim = async () => (await test.engine.tasks.claim({ tasks: ['heavy'], limit: 100 })).length
    expect([await claim(), await claim(), await claim()]).toEqual([21, 4, 0])
  })

  it('refuses claims that make no sense', async () => {
    for (const wrong of [
      { tasks: [] },
      { tasks: ['x'], limit: 0 },
      { tasks: ['x'], limit: 101 },
      { tasks: ['x'], leaseMs: 5 },
    ])
      await expect(test.engine.tasks.claim(wrong)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  })
})
