import { deferred, type Json } from '@lockstep/base'
import { type TaskWorker, type TaskWorkerOptions, taskWorker } from 'lockstep'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openTestApi, type TestApi } from '../../packages/server/test/open-test-api.ts'

let api: TestApi
let url: string
beforeAll(async () => {
  api = await openTestApi()
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(api.app.server.address() as { readonly port: number }).port}`
})
const workers: TaskWorker[] = []
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop(0)
})
afterAll(() => api.close())

let number = 0
async function publishTask(more: object = {}, inputs: object = {}): Promise<string> {
  const id = `work-${++number}`
  const activities = [
    { id: 'work', type: 'run-task', inputs: { task: id, payload: { $expr: 'input' }, ...inputs }, ...more },
    { id: 'out', type: 'set-output', inputs: { name: 'got', value: { $expr: 'steps.work.output' } } },
  ]
  await api.call('PUT', `/workflow-definitions/${id}`, {
    body: { id, activities, connections: [{ from: 'work', to: 'out' }] },
  })
  return id
}
const start = async (definitionId: string, input?: unknown) =>
  (await api.engine.start({ definitionId, input })).instanceId
const end = (instanceId: string) => api.engine.waitForEnd(instanceId, { limitMs: 30_000 })
const problems: string[] = []
function worker(options: Omit<TaskWorkerOptions, 'url'> & { readonly url?: string }): TaskWorker {
  const made = taskWorker({ url, onProblem: ({ message }) => problems.push(message), leaseMs: 2_000, ...options })
  workers.push(made)
  return made
}

describe('taskWorker', () => {
  it('does tasks, several at once, and never more than it may', async () => {
    const task = await publishTask()
    let running = 0
    let most = 0
    worker({
      task,
      concurrency: 3,
      handler: async (payload) => {
        most = Math.max(most, ++running)
        await new Promise((resolve) => setTimeout(resolve, 20))
        running -= 1
        return { double: (payload as number) * 2 }
      },
    })
    const ids = await Promise.all(Array.from({ length: 12 }, (_, n) => start(task, n)))
    for (const [n, id] of ids.entries()) expect(await end(id)).toMatchObject({ output: { got: { double: n * 2 } } })
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(3)
  })

  it('keeps its claim while the handler runs longer than the lease', async () => {
    const task = await publishTask()
    worker({ task, leaseMs: 1_000, handler: () => new Promise((resolve) => setTimeout(() => resolve('slow'), 2_500)) })
    expect(await end(await start(task))).toMatchObject({ output: { got: 'slow' } })
    expect((await api.engine.tasks.list({ name: task }, 10))[0]).toMatchObject({ leaseNo: 1, status: 'completed' })
  })

  it('fails the task with what the handler threw, and the step decides about retries', async () => {
    const task = await publishTask({ retry: { attempts: 3, backoff: { initial: '1ms' } } })
    let attempts = 0
    worker({
      task,
      handler: () => {
        attempts += 1
        if (attempts < 3) throw new Error('not yet')
        return attempts
      },
    })
    expect(await end(await start(task))).toMatchObject({ output: { got: 3 } })
    const hopeless = await publishTask({ retry: { attempts: 9, backoff: { initial: '1ms' } } })
    worker({
      task: hopeless,
      handler: () => {
        throw Object.assign(new Error('never'), { code: 'NO_WAY', retryable: false })
      },
    })
    expect(await end(await start(hopeless))).toMatchObject({
      status: 'faulted',
      error: { code: 'NO_WAY', message: 'never' },
    })
  })

  it('tells the handler that its work is not wanted any more', async () => {
    const task = await publishTask()
    const begun = deferred<void>()
    const stopped = deferred<unknown>()
    worker({
      task,
      leaseMs: 1_000,
      handler: (_payload, { signal }) => {
        begun.resolve()
        return new Promise<Json>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            stopped.resolve(signal.reason)
            reject(signal.reason)
          })
        })
      },
    })
    const id = await start(task)
    await begun.promise
    await api.engine.cancel(id)
    expect(await stopped.promise).toBe('cancelled')
  })

  it('goes on by itself when the server was away, and hands in what it had done', async () => {
    const task = await publishTask()
    const begun = deferred<void>()
    const go = deferred<void>()
    let away = false
    const flaky: typeof fetch = (...args) => (away ? Promise.reject(new TypeError('fetch failed')) : fetch(...args))
    worker({
      task,
      fetch: flaky,
      leaseMs: 20_000,
      handler: async () => {
        begun.resolve()
        await go.promise
        return 'kept'
      },
    })
    const id = await start(task)
    await begun.promise
    away = true
    go.resolve()
    await new Promise((resolve) => setTimeout(resolve, 500))
    away = false
    expect(await end(id)).toMatchObject({ output: { got: 'kept' } })
  })

  it('gives back what it has not finished when it stops', async () => {
    const task = await publishTask({}, { lease: '10m' })
    const begun = deferred<void>()
    const first = worker({
      task,
      leaseMs: 600_000,
      handler: (_payload, { signal }) => {
        begun.resolve()
        return new Promise<Json>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    })
    const id = await start(task)
    await begun.promise
    await first.stop(50)
    expect(first.running).toBe(0)
    worker({ task, handler: () => 'second' })
    expect(await end(id)).toMatchObject({ output: { got: 'second' } })
  })

  it('says of an output that cannot be kept that the task failed', async () => {
    const task = await publishTask()
    worker({ task, handler: () => 'x'.repeat(1_200_000) })
    expect(await end(await start(task))).toMatchObject({ status: 'faulted', error: { code: 'TASK_API_FAILED' } })
  })

  it('refuses options that make no sense', () => {
    const handler = () => null
    expect(() => taskWorker({ url, task: 'x', handler, concurrency: 0 })).toThrow(/concurrency/)
    expect(() => taskWorker({ url, task: 'x', handler, leaseMs: 10 })).toThrow(/leaseMs/)
  })
})
