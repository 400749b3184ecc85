// A node whose reads are counted: one instance that waits, read again and again.
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { Engine } from '@lockstep/engine'
import { migrate, openPostgres, postgresEngineStore } from '@lockstep/postgres'
import { answer } from '../process/answer.mjs'

const common = { clock: systemClock, random: systemRandom, logger: silentLogger }
const document = {
  id: 'waits',
  name: 'Waits',
  variables: { customer: { type: 'string', default: 'c-1' }, amount: { type: 'number', default: 12 } },
  activities: [{ id: 'wait', type: 'wait-for-event', inputs: { event: 'answer' } }],
  connections: [],
}
let db
let engine
let id
let queries = 0

/** The lane of readers, with a count of what goes over it. */
function counted(lane) {
  return new Proxy(lane, {
    get(target, key) {
      const value = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      return (...given) => {
        queries += 1
        return value.apply(target, given)
      }
    },
  })
}

/** `once` so many times, by so many callers. */
async function measured(count, callers, once) {
  const before = queries
  const tookMs = []
  const caller = async () => {
    while (tookMs.length < count) {
      const from = performance.now()
      await once()
      tookMs.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return { tookMs, perRead: (queries - before) / tookMs.length }
}

answer({
  async open({ url }) {
    db = await openPostgres({ url, applicationName: 'lockstep:bench-reader', ...common })
    await migrate(db, { mode: 'auto', ...common })
    const plain = postgresEngineStore(db)
    const store = {
      ...plain,
      instances: postgresEngineStore({ ...db, lane: (name) => counted(db.lane(name)) }).instances,
    }
    const agenda = {
      ...plain.agenda,
      load: (ids) => {
        queries += 1
        return plain.agenda.load(ids)
      },
    }
    engine = await Engine.open({ ...common, store: { ...store, agenda } })
    await engine.definitions.create('default', document)
    await engine.definitions.publish('default', document.id)
    id = (await engine.start({ definitionId: document.id })).instanceId
    while ((await engine.get(id)).waitingFor.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  },
  without: ({ count, callers }) =>
    measured(count, callers, async () => {
      await engine.get(id)
      await engine.variables(id)
    }),
  with: ({ count, callers }) => measured(count, callers, () => engine.state(id)),
  exact: ({ count, callers }) => measured(count, callers, () => engine.state(id, { exact: true })),
  async close() {
    await engine?.close(0)
    await db?.close()
  },
})
