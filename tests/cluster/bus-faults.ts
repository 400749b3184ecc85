/**
 * What a broken bus costs: latency. One node has the workflow and the other has not, so whatever the other starts or resumes moves only
 * when the first hears of it, or looks.
 */
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import type { OpenWakeBus } from '@lockstep/coordination'
import { Engine, workflow } from '@lockstep/engine'
import { openPostgres, postgresEngineStore } from '@lockstep/postgres'
import { cloneDatabase, type ServerHandle } from '@lockstep/testing/harness'
import { describe, expect, inject, it } from 'vitest'
import { until } from '../faults/until.ts'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const LONGEST_MS = 90_000
/** Far beyond every wait here: what moves was told. */
const NEVER_MS = 3_600_000

const asking = workflow('asking', async (ctx) => ctx.waitFor('answer'))

interface Pair extends AsyncDisposable {
  /** Runs the workflow; looks by itself every `pollMs`. */
  readonly worker: Engine
  /** Starts and resumes, and cannot run anything of it. */
  readonly caller: Engine
}

async function openPair(connect: () => Promise<OpenWakeBus>, pollMs: number): Promise<Pair> {
  const database = await cloneDatabase(inject('postgres'))
  const dbs = await Promise.all([1, 2].map(() => openPostgres({ url: database.url, ...edge })))
  const buses = await Promise.all([connect(), connect()])
  const open = (at: number, more: object) =>
    Engine.open({ ...edge, store: postgresEngineStore(dbs[at]!), bus: buses[at]!, pollMs, ...more })
  const worker = await open(0, { name: 'worker', workflows: [asking] })
  const caller = await open(1, { name: 'caller' })
  return {
    worker,
    caller,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([worker.close(1_000), caller.close(1_000)])
      await Promise.all(buses.map((bus) => bus.close()))
      await Promise.all(dbs.map((db) => db.close()))
      await database.drop()
    },
  }
}

/** Both nodes are up, and both come over the bus or not at all. */
const started = async ({ caller }: Pair): Promise<string> =>
  (await caller.start({ definitionId: 'asking', version: 1 })).instanceId
const waits = async ({ caller }: Pair, id: string): Promise<void> =>
  until('it waits', async () => (await caller.get(id)).waitingFor.length === 1, LONGEST_MS)
const ends = async ({ caller }: Pair, id: string): Promise<void> =>
  expect(await caller.waitForEnd(id, { limitMs: LONGEST_MS })).toMatchObject({ status: 'completed', output: 'yes' })
const resume = async ({ caller }: Pair, id: string): Promise<void> =>
  expect(await caller.resume({ instanceId: id, bookmark: 'answer', payload: 'yes' })).toBe('resumed')

export function busFaults(server: () => ServerHandle, connect: () => Promise<OpenWakeBus>): void {
  describe('a bus that breaks', () => {
    it('carries starts and resumes to another node; killed and back it tells of the gap by itself', async () => {
      await using pair = await openPair(connect, NEVER_MS)
      const first = await started(pair)
      await waits(pair, first)
      await resume(pair, first)
      await ends(pair, first)

      const over = await started(pair)
      await waits(pair, over)
      await server().kill9()
      await resume(pair, over)
      const during = await started(pair)
      await server().start()
      await ends(pair, over)
      await waits(pair, during)
      await until(
        'it is told of new work again',
        async () => {
          const id = await started(pair)
          const heard = async () => (await pair.caller.get(id)).waitingFor.length === 1
          return until('this one was heard of', heard, 3_000).then(
            () => true,
            () => false,
          )
        },
        LONGEST_MS,
      )
      await resume(pair, during)
      await ends(pair, during)
    })

    it('delays and loses nothing while its server is dead, and is used by nodes that started without it', async () => {
      await using pair = await openPair(connect, 500)
      const before = await started(pair)
      await waits(pair, before)
      await server().kill9()
      let opened: Pair | undefined
      try {
        await resume(pair, before)
        const during = await started(pair)
        await waits(pair, during)
        await resume(pair, during)
        await Promise.all([ends(pair, before), ends(pair, during)])
        opened = await openPair(connect, NEVER_MS)
      } finally {
        await server().start()
      }
      await using later = opened
      const id = await started(later)
      await waits(later, id)
      await resume(later, id)
      await ends(later, id)
    })

    it('delays and loses nothing while its server hangs, and goes on afterwards', async () => {
      await using pair = await openPair(connect, 500)
      await server().pause()
      const ids: string[] = []
      try {
        for (let i = 0; i < 20; i += 1) ids.push(await started(pair))
        for (const id of ids) {
          await waits(pair, id)
          await resume(pair, id)
        }
        await Promise.all(ids.map((id) => ends(pair, id)))
      } finally {
        await server().resume()
      }
      const after = await started(pair)
      await waits(pair, after)
      await resume(pair, after)
      await ends(pair, after)
    })
  })
}
