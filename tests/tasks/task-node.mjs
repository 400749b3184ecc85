// One node with its HTTP server in a process of its own, told over IPC what to do. Runs on the built packages, as a deployment does.
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { Engine } from '@lockstep/engine'
import {
  engineLanes,
  historyGuard,
  openPostgres,
  postgresBrowse,
  postgresEngineStore,
  postgresIdempotency,
  postgresWakeBus,
} from '@lockstep/postgres'
import { openHttpServer } from '@lockstep/server'

const never = () => new Promise(() => {})
const die = () => {
  process.kill(process.pid, 'SIGKILL')
  return never()
}
const silent = { debug() {}, info() {}, warn() {}, error() {}, area: () => silent }
const [, , url, settings] = process.argv
const { name, crash, engine: options = {} } = JSON.parse(settings)

const guard = historyGuard()
const applicationName = `lockstep:${name}:${process.pid}`
const db = await openPostgres({
  lanes: engineLanes,
  url,
  clock,
  random,
  applicationName,
  onConnect: (queries) => guard.check(queries),
})
const bus = await postgresWakeBus(db, clock, silent)
const engine = await Engine.open({
  store: crashing(postgresEngineStore(db, { guard, application: applicationName })),
  ...{ clock, random, bus, name, heartbeatMs: 300, ttlMs: 3_000, ...options },
})
const server = await openHttpServer({
  ...{ host: '127.0.0.1', port: 0, basePath: '', engine, logger: silent },
  ...{ browse: postgresBrowse(db), idempotency: postgresIdempotency(db) },
  health: { started: () => true, ready: async () => [] },
})
process.on('disconnect', () => process.exit(0))
process.send({ url: server.url, nodeId: engine.nodeId })

/** Ends itself around one call of the store: before it is sent, or when it has committed and the engine has not heard of it. */
function crashing(store) {
  if (crash === undefined) return store
  const { port, method, when, n = 1 } = crash
  let count = 0
  return {
    ...store,
    [port]: {
      ...store[port],
      async [method](...args) {
        count += 1
        if (when === 'before' && count === n) await die()
        const answer = await store[port][method](...args)
        if (when === 'after' && count === n) await die()
        return answer
      },
    },
  }
}
