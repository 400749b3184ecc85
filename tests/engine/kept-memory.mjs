// Prints how many bytes of memory each workflow leaves behind that only a full collection finds. Started with --expose-gc.
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { Engine, workflow } from '@lockstep/engine'
import { engineLanes, openPostgres, postgresEngineStore } from '@lockstep/postgres'

const WARM_UP = 300
const MEASURED = 1_000
/** Young objects are collected after so many. */
const EACH = 50

const common = { clock: systemClock, random: systemRandom, logger: silentLogger }
const one = workflow('one', (ctx, input) => ctx.step('add', async () => input.n + 1))
const graph = {
  id: 'graph',
  activities: [{ id: 'out', type: 'set-output', inputs: { name: 'sum', value: { $expr: 'input.n + 1' } } }],
}

const db = await openPostgres({ lanes: engineLanes, url: process.argv[2], applicationName: 'lockstep:test', ...common })
const engine = await Engine.open({ store: postgresEngineStore(db), workflows: [one], ...common })
await engine.definitions.create('default', graph)
await engine.definitions.publish('default', 'graph')

const collectYoung = () => {
  for (let times = 0; times < 3; times += 1) globalThis.gc({ type: 'minor' })
}
const run = async (definitionId, count) => {
  for (let n = 0; n < count; n += 1) {
    const { instanceId } = await engine.start({ definitionId, input: { n } })
    await engine.waitForEnd(instanceId, { here: true })
    if (n % EACH === EACH - 1) collectYoung()
  }
}
const kept = {}
for (const definitionId of ['one', 'graph']) {
  await run(definitionId, WARM_UP)
  globalThis.gc()
  collectYoung()
  const before = process.memoryUsage().heapUsed
  await run(definitionId, MEASURED)
  collectYoung()
  kept[definitionId] = Math.round((process.memoryUsage().heapUsed - before) / MEASURED)
}
await engine.close()
await db.close()
process.stdout.write(JSON.stringify(kept))
