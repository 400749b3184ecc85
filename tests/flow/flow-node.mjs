// One node in a process of its own, on the built packages. Its workflow writes down when it comes in and when it goes out, in one file for
// all processes: lines are appended whole, so that their order is the order in which things happened.
import { appendFileSync } from 'node:fs'
import { systemClock as clock, systemRandom as random, silentLogger, sleep } from '@lockstep/base'
import { Engine, workflow } from '@lockstep/engine'
import { engineLanes, openPostgres, postgresEngineStore, postgresWakeBus } from '@lockstep/postgres'

const { url, name, sinkFile, sinkUrl, flow, limit, holdMs = 30 } = JSON.parse(process.argv[2])
const note = (line) => appendFileSync(sinkFile, `${JSON.stringify({ ...line, pid: process.pid })}\n`)

const visit = workflow(
  'visit',
  async (ctx, input) => {
    await ctx.step('inside', async () => {
      note({ kind: 'enter', instanceId: ctx.instanceId, key: input.key })
      await sleep(clock, holdMs)
      note({ kind: 'leave', instanceId: ctx.instanceId, key: input.key })
    })
    return input
  },
  { flow: flow?.visit },
)
// Goes out to a server that sees when somebody arrives, by its own clock.
const call = workflow(
  'call',
  (ctx) =>
    ctx.step('call', async () => void (await fetch(`${sinkUrl}/${process.pid}`)), limit === undefined ? {} : { limit }),
  { flow: flow?.call },
)
const collect = workflow('collect', async (_ctx, inputs) => inputs, { flow: flow?.collect })
const settle = workflow('settle', async (_ctx, input) => input, { flow: flow?.settle })

const db = await openPostgres({ url, clock, random, lanes: engineLanes, applicationName: `flow:${name}` })
const bus = await postgresWakeBus(db, clock, silentLogger)
const engine = await Engine.open({
  ...{ clock, random, bus, name, workflows: [visit, call, collect, settle], heartbeatMs: 300, ttlMs: 3_000 },
  store: postgresEngineStore(db, { application: `flow:${name}` }),
})

const commands = {
  start: (request) => engine.start(request),
  set: ({ definitionId, policy }) => engine.flow.set(definitionId, policy),
  doctor: () => engine.doctor(),
  close: () => engine.close(2_000),
}
process.on('message', async ({ id, op, args }) => {
  try {
    process.send({ id, value: (await commands[op](args)) ?? null })
  } catch (error) {
    process.send({ id, error: { code: error.code, message: error.message } })
  }
})
process.on('disconnect', () => process.exit(0))
process.send({ ready: engine.nodeId })
