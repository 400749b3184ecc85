// One node in a process of its own, on the built packages. It can end itself with SIGKILL at its n-th round of firing that has something to
// fire: in the middle of the transaction (`inside`), or when the answer has arrived and the engine has not seen it (`after`).
import { systemClock as clock, systemRandom as random, silentLogger } from '@lockstep/base'
import { Engine, workflow } from '@lockstep/engine'
import { engineLanes, openPostgres, postgresEngineStore, postgresWakeBus } from '@lockstep/postgres'

const { url, name, crash } = JSON.parse(process.argv[2])
const die = () => process.kill(process.pid, 'SIGKILL')

const db = await openPostgres({ url, clock, random, lanes: engineLanes, applicationName: `schedule:${name}` })
const store = postgresEngineStore(db, { application: `schedule:${name}` })
let rounds = 0
const schedules = {
  ...store.schedules,
  async fire(nodeId, limit, decide) {
    let mine = 0
    const answer = await store.schedules.fire(nodeId, limit, (taken, now) => {
      if (mine === 0) mine = ++rounds
      if (crash?.when === 'inside' && mine === crash.n) die()
      return decide(taken, now)
    })
    if (crash?.when === 'after' && mine === crash.n) {
      die()
      await new Promise(() => {})
    }
    return answer
  },
}
const tick = workflow('tick', async (ctx, run) => ctx.step('tick', () => run.key))
const bus = await postgresWakeBus(db, clock, silentLogger)
const engine = await Engine.open({
  store: { ...store, schedules },
  clock,
  random,
  bus,
  workflows: [tick],
  name,
  heartbeatMs: 200,
  ttlMs: 2_000,
})
process.on('message', async ({ id, op, args }) => {
  const ops = {
    // One after the other: a hundred at once may wait too long for a connection where the machine is busy.
    async create({ documents }) {
      for (const document of documents) await engine.schedules.create(document)
    },
    async pauseAll({ ids }) {
      for (const id of ids) await engine.schedules.pause(id)
    },
    close: () => engine.close(1_000),
  }
  try {
    await ops[op](args)
    process.send({ id })
  } catch (error) {
    process.send({ id, error: String(error.stack ?? error) })
  }
})
process.send({ ready: engine.nodeId })
