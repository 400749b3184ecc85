import { type EffectActivity, type Part, workflow } from '@lockstep/engine'
import { cloneDatabase } from '@lockstep/testing/harness'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { lockstep } from '../../packages/lockstep/src/lockstep.ts'
import { openTestEngine } from '../engine/open-test-engine.ts'
import { readRows } from '../faults/read-rows.ts'
import { TestSite } from '../faults/test-bed.ts'
import type { TestNode } from '../faults/test-node.ts'
import { until } from '../faults/until.ts'
import { type LiveNode, openLiveNode } from '../live/live-nodes.ts'

/** Events of a stream of results, by name, until the server ends it. */
async function readStream(url: string, lastId?: string): Promise<{ event: string; id: string; data: unknown }[]> {
  const headers = lastId === undefined ? {} : { 'last-event-id': lastId }
  const text = await (await fetch(url, { headers })).text()
  return text
    .split('\n\n')
    .map((block) => Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2))))
    .filter((block) => block.event !== undefined)
    .map(({ event, id = '', data }) => ({ event, id, data: JSON.parse(data) }))
}

const all = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = []
  for await (const each of source) found.push(each)
  return found
}
/** The reader beats at the usual pace: nobody may miss it, or one that a busy machine keeps waiting. */
const life = { heartbeatMs: 500, ttlMs: 5_000 }
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

describe('partial results on several nodes', () => {
  let site: TestSite
  let reader: LiveNode
  beforeAll(async () => {
    site = await TestSite.open(await cloneDatabase(inject('postgres')))
    reader = await openLiveNode(site.url)
  })
  afterAll(async () => {
    await reader?.close()
    await site?.[Symbol.asyncDispose]()
  })

  const startAt = (node: TestNode, input: object) =>
    node.call<{ instanceId: string }>('start', { definitionId: 'parts', input })
  const pathOf = (id: string) => `${reader.http.url}/api/v1/workflow-instances/wfi_${id}/results`

  it('reach readers on another node once and in order, also when the producer is killed in the middle', async () => {
    const producer = await site.node({ name: 'a', engine: life })
    const { instanceId } = await startAt(producer, { count: 10, gateAfter: 5, gate: 'half', at: 'a' })
    const inLibrary = all(reader.engine.results.follow(instanceId))
    const inStream = readStream(`${pathOf(instanceId)}/stream`)
    const polled: Part[] = []
    const polling = (async () => {
      for (let [after, over] = [0, false]; !over; ) {
        const answer = await fetch(`${pathOf(instanceId)}?after=${after}&wait=10s&limit=3`)
        const { items, next, ended } = (await answer.json()) as { items: Part[]; next: number; ended: boolean }
        polled.push(...items)
        after = next
        over = ended && items.length < 3
      }
    })()
    await producer.atGate('half')
    await until('the first half was read', () => polled.length === 5)
    await site.node({ name: 'c', engine: life })
    await producer.kill9()
    const parts = await inLibrary
    await polling
    const wanted = numbers(10).map((n) => ({ n, by: n <= 5 ? 'a' : 'c' }))
    expect(parts.map((part) => part.value)).toEqual(wanted)
    expect(parts.map((part) => [part.number, part.stepNumber])).toEqual(numbers(10).map((n) => [n, n]))
    expect(polled.map((part) => part.value)).toEqual(wanted)
    const heard = await inStream
    const told = heard.filter(({ event }) => event === 'part')
    expect(told.map(({ id, data }) => [id, (data as Part).value])).toEqual(wanted.map((value) => [`${value.n}`, value]))
    expect(heard.at(-1)).toMatchObject({ event: 'end', data: { status: 'completed' } })
    expect(heard.some(({ event }) => event === 'progress')).toBe(true)
    const rest = await readStream(`${pathOf(instanceId)}/stream`, '7')
    expect(rest.filter(({ event }) => event !== 'progress').map(({ event, id }) => [event, id])).toEqual([
      ['part', '8'],
      ['part', '9'],
      ['part', '10'],
      ['end', ''],
    ])
  })

  it('of a node that was stopped and replaced are refused when it wakes', async () => {
    const paused = await site.node({ name: 'sleeper', engine: life })
    const { instanceId } = await startAt(paused, { count: 6, gateAfter: 2, gate: 'asleep', at: 'sleeper' })
    await paused.atGate('asleep')
    paused.signal('SIGSTOP')
    const parts = await all(reader.engine.results.follow(instanceId))
    const wanted = numbers(6).map((n) => ({ n, by: n <= 2 ? 'sleeper' : 'c' }))
    expect(parts.map((part) => part.value)).toEqual(wanted)
    void paused.call('openGate', { name: 'asleep' }).catch(() => undefined)
    paused.signal('SIGCONT')
    await until('it has heard that it was buried', () => paused.incarnations.length > 1)
    expect((await reader.engine.results.read(instanceId)).parts).toEqual(parts)
  })

  it('are read by the library, with the progress beside them', async () => {
    const words: unknown[] = []
    const counts = workflow('counts', (ctx) =>
      ctx.step('count', async (scope) => {
        for (const n of numbers(3)) {
          void scope.emit(n)
          scope.progress({ done: n, total: 3 })
          while (n === 2 && words.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
        }
      }),
    )
    await using node = await lockstep({ databaseUrl: site.url, workflows: [counts] })
    const run = await node.start(counts, undefined)
    run.onProgress((steps) => words.push(steps[0]?.fraction))
    expect((await all(run.partials())).map((part) => part.value)).toEqual([1, 2, 3])
    expect((await all(run.partials({ after: 2 }))).map((part) => part.value)).toEqual([3])
    expect(words[0]).toBeGreaterThan(0)
  })
})

describe('partial results of a step', () => {
  it('are durable before its end, however many it hands out without waiting, and go with their instance', async () => {
    const many = workflow('many', (ctx) =>
      ctx.all([
        ctx.step('left', (scope) => void numbers(500).map((n) => scope.emit(n))),
        ctx.step('right', (scope) => void numbers(500).map((n) => scope.emit(-n))),
      ]),
    )
    await using test = await openTestEngine({ workflows: [many], retention: { keep: { completed: 0 } } })
    const { instanceId } = await test.run('many')
    const { parts, ended } = await test.engine.results.read(instanceId, { limit: 1_000 })
    expect(ended).toBe(false) // a full page does not know whether it is the last one
    expect(await test.engine.results.read(instanceId, { after: 1_000 })).toMatchObject({ parts: [], ended: true })
    expect(parts.map((part) => part.number)).toEqual(numbers(1_000))
    for (const step of ['left', 'right'])
      expect(parts.filter((part) => part.step === step).map((part) => part.stepNumber)).toEqual(numbers(500))
    await test.engine.retention.sweep()
    expect(await readRows(test.db, 'select count(*)::integer as count from step_part', [])).toEqual([{ count: 0 }])
  })

  it('stay what they were when an attempt runs again, and go on where it says', async () => {
    const values: unknown[] = []
    const again = workflow('again', async (ctx) => {
      await ctx.step(
        'from the start',
        async (scope) => {
          for (const n of numbers(4)) {
            await scope.emit(`${scope.attempt}.${n}`)
            if (n === 2 && scope.attempt === 1) throw new Error('half way')
          }
        },
        { retry: { attempts: 2, initial: 1 } },
      )
      await ctx.step(
        'from there',
        async (scope) => {
          const from = await scope.emitted()
          values.push(from)
          for (let n = from + 1; n <= 4; n += 1) {
            await scope.emit(`${scope.attempt}.${n}`, n)
            if (n === 3 && scope.attempt === 1) throw new Error('nearly')
          }
        },
        { retry: { attempts: 2, initial: 1 } },
      )
    })
    await using test = await openTestEngine({ workflows: [again] })
    const { instanceId, status } = await test.run('again')
    expect(status).toBe('completed')
    const { parts } = await test.engine.results.read(instanceId)
    expect(parts.map((part) => part.value)).toEqual(['1.1', '1.2', '2.3', '2.4', '1.1', '1.2', '1.3', '2.4'])
    expect(values).toEqual([0, 3])
  })

  it('that cannot be kept fail the step with the reason', async () => {
    const bad = workflow('bad', (ctx, input: { kind: string }) =>
      ctx.step('s', (scope) => {
        if (input.kind === 'gap') void scope.emit(1, 2)
        if (input.kind === 'size') void scope.emit('x'.repeat(300_000))
        if (input.kind === 'number') void scope.emit(1, 0)
      }),
    )
    await using test = await openTestEngine({ workflows: [bad] })
    const codes = { gap: 'INVALID_PART', size: 'PAYLOAD_TOO_LARGE', number: 'INVALID_PART' }
    for (const [kind, code] of Object.entries(codes))
      expect((await test.run('bad', { kind })).error).toMatchObject({ code })
    expect((await test.run('bad', { kind: 'none' })).status).toBe('completed')
  })

  it('come from activities of graphs and from outside workers too', async () => {
    const work: EffectActivity = {
      ...{ type: 'work', kind: 'action', title: 'Work', description: 'Works.', outcomes: ['done'] },
      inputs: { type: 'object' },
      runs: 'effect',
      run: async (_inputs, context) => {
        await context.emit('from here')
        return { kind: 'completed', outcome: 'done' }
      },
    }
    await using test = await openTestEngine({ activities: [work] })
    await test.publish({
      id: 'graph',
      activities: [
        { id: 'w', type: 'work' },
        { id: 'o', type: 'run-task', inputs: { task: 'press' } },
      ],
      connections: [{ from: 'w', to: 'o' }],
    })
    const { instanceId } = await test.engine.start({ definitionId: 'graph' })
    const [task] = await test.engine.tasks.claim({ tasks: ['press'], waitMs: 60_000 })
    const hold = { id: task!.id, leaseNo: task!.leaseNo }
    expect((await test.engine.tasks.emit(hold, 1, ['a', 'b'])).outcome).toBe('done')
    expect((await test.engine.tasks.emit(hold, 2, ['B', 'c'])).outcome).toBe('done')
    await expect(test.engine.tasks.emit(hold, 9, ['z'])).rejects.toMatchObject({ code: 'INVALID_PART' })
    expect((await test.engine.tasks.emit({ ...hold, leaseNo: 9 }, 4, ['z'])).outcome).toBe('lease-lost')
    await test.engine.tasks.complete(hold)
    const parts = await all(test.engine.results.follow(instanceId))
    expect(parts.map((part) => part.value)).toEqual(['from here', 'a', 'b', 'c'])
  })

  it('survive a database that is away while they are written', async () => {
    const database = await cloneDatabase(inject('postgres'))
    const cuts = workflow('cuts', (ctx) =>
      ctx.step('s', async (scope) => {
        for (const n of numbers(60)) await scope.emit(n)
      }),
    )
    const node = await lockstep({ databaseUrl: database.url, workflows: [cuts] })
    const killer = new pg.Client(database.url)
    await killer.connect()
    const run = await node.start(cuts, undefined)
    const seen: unknown[] = []
    for await (const part of run.partials()) {
      seen.push(part.value)
      if (seen.length % 20 === 1)
        await killer.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name like 'lockstep:%'`,
        )
    }
    expect(seen).toEqual(numbers(60))
    await killer.end()
    await node.close()
    await database.drop()
  })
})
