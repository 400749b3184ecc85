/** P2 for schedules: two nodes fire, one is killed in the middle of it, and every occurrence has one run. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { type Db, openPostgres, statement } from '@lockstep/postgres'
import { cloneDatabase } from '@lockstep/testing/harness'
import { afterEach, expect, inject, it } from 'vitest'
import { until } from '../faults/until.ts'
import { nodeProgram } from '../setup/bundle-nodes.ts'

const program = nodeProgram(new URL('./schedule-node.mjs', import.meta.url))
const SCHEDULES = 100
const OCCURRENCES = 500

interface Crash {
  readonly n: number
  readonly when: 'inside' | 'after'
}

/** However late a busy machine fires: each of them. */
const misfire = { catchUp: 1_000 }
const everySecond = { trigger: { interval: '1s' }, definitionId: 'tick', overlap: 'allow', misfire }

const children: ChildProcess[] = []
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  }
})

async function openNode(url: string, name: string, crash?: Crash) {
  const child = fork(program, [JSON.stringify({ url, name, crash })], { execArgv: [] })
  children.push(child)
  const [{ ready }] = (await once(child, 'message')) as [{ ready: string }]
  let calls = 0
  return {
    child,
    nodeId: ready,
    ended: once(child, 'exit'),
    call: (op: string, args: object = {}): Promise<void> => {
      const id = ++calls
      return new Promise((resolve, reject) => {
        child.on('message', (message: { id?: number; error?: string }) => {
          if (message.id !== id) return
          if (message.error === undefined) resolve()
          else reject(new Error(message.error))
        })
        child.send({ op, args, id })
      })
    },
  }
}

const counts = statement<undefined, { runs: number; ended: number; nodes: number }>(
  'test_schedule_counts',
  () => [],
  `select count(*)::int4 as runs, count(i.finished_at)::int4 as ended, count(distinct r.node_id)::int4 as nodes
     from schedule_run r join instance i on i.id = r.instance_id where r.state = 'started'`,
)
const wrong = statement<undefined, { schedule_id: string; key: string; problem: string }>(
  'test_schedule_wrong',
  () => [],
  `select schedule_id, key, 'not started: ' || coalesce(reason, '') as problem from schedule_run where state <> 'started'
   union all
   select i.dedupe_key, i.id::text, 'an instance without a run' from instance i
    where not exists (select 1 from schedule_run r where r.instance_id = i.id)
   union all
   select schedule_id, key, 'a gap before it' from (
     select r.*, nominal_at - lag(nominal_at) over (partition by schedule_id order by nominal_at) as step from schedule_run r) s
    where step <> interval '1 second'
   union all
   select r.schedule_id, r.key, 'ran ' || count(j.*) || ' times' from schedule_run r
     left join journal j on j.instance_id = r.instance_id and j.kind = 'completed' group by 1, 2 having count(j.*) <> 1`,
)

const cases: readonly [string, Crash | undefined][] = [
  ['killed from outside', undefined],
  ['killed between taking and writing', { n: 3, when: 'inside' }],
  ['killed between writing and hearing of it', { n: 3, when: 'after' }],
]

it.each(cases)('P2: each of 500 occurrences and more over two nodes has one run, one node %s', async (_, crash) => {
  const database = await cloneDatabase(inject('postgres'))
  const db: Db = await openPostgres({ url: database.url, clock, random })
  try {
    const a = await openNode(database.url, 'a', crash)
    const b = await openNode(database.url, 'b')
    const ids = Array.from({ length: SCHEDULES }, (_, n) => `tick-${n}`)
    const documents = ids.map((id) => ({ id, ...everySecond }))
    await b.call('create', { documents })
    if (crash === undefined) {
      await until('some have fired', async () => (await db.one(counts)).runs > SCHEDULES)
      a.child.kill('SIGKILL')
    }
    const [, signal] = await a.ended
    expect(signal).toBe('SIGKILL')
    // Well beyond its death, so that what it had in hand has come up again.
    const wanted = Math.max(OCCURRENCES, (await db.one(counts)).runs + 2 * SCHEDULES)
    await until('all wanted have fired', async () => (await db.one(counts)).runs >= wanted)
    await b.call('pauseAll', { ids })
    await until('all of them have ended', async () => {
      const { runs, ended } = await db.one(counts)
      return runs === ended
    })
    expect(await db.many(wrong)).toEqual([])
    await b.call('close')
  } finally {
    await db.close()
    for (const child of children) child.kill('SIGKILL')
    await database.drop()
  }
})
