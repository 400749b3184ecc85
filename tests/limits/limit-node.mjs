// One engine node in a process of its own, on the built packages. Its workflow writes to a sink that only grows when an attempt begins and ends.
import { appendFileSync } from 'node:fs'
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { coordinator } from '@lockstep/coordination'
import { Engine, workflow } from '@lockstep/engine'
import { openPostgres, postgresCoordination, postgresEngineStore, postgresWakeBus } from '@lockstep/postgres'

const { url, sink, policies, workMs } = JSON.parse(process.argv[2])
const logger = { debug() {}, info() {}, warn() {}, error() {}, area: () => logger }
const edge = { clock, random, logger }
const write = (kind, instance) =>
  appendFileSync(sink, `${JSON.stringify({ kind, instance, pid: process.pid, at: Date.now() })}\n`)

const limited = workflow('limited', async (ctx) =>
  ctx.step(
    'work',
    async () => {
      write('begin', ctx.instanceId)
      await new Promise((resolve) => setTimeout(resolve, workMs))
      write('end', ctx.instanceId)
    },
    policies,
  ),
)

const db = await openPostgres({ url, ...edge, applicationName: `limits:${process.pid}` })
const bus = await postgresWakeBus(db, clock, logger)
const locks = coordinator({ provider: postgresCoordination(db, edge), ownsProvider: true, ttlMs: 5_000, ...edge })
const store = postgresEngineStore(db, { application: `limits:${process.pid}` })
// One that is slow and not dead must not be missed: what it does outside would be counted beside what its heir does.
const life = { heartbeatMs: 300, ttlMs: 5_000 }
await Engine.open({ ...edge, store, bus, locks, workflows: [limited], ...life, concurrency: 20 })
process.send?.('ready')
process.on('disconnect', () => process.exit(0))
