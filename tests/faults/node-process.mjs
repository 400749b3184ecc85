// One engine node in a process of its own, told what to do over IPC. Runs on the built packages, as a deployment does.
// It can end itself with SIGKILL around its n-th write: just before it is sent, or when the answer has arrived and the
// engine has not seen it. The store is wrapped for that; nothing of the product knows.
import { existsSync } from 'node:fs'
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { Engine } from '@lockstep/engine'
import {
  engineLanes,
  historyGuard,
  openPostgres,
  postgresEngineStore,
  postgresHeart,
  postgresWakeBus,
} from '@lockstep/postgres'
import { graphDocuments } from './graph-documents.mjs'
import { sagaDocuments, sagaWorkflows } from './saga-programs.mjs'
import { scriptedActivities, scriptedWorkflows } from './scripted-workflows.mjs'

const tell = (message) => process.send?.(message)
const die = () => process.kill(process.pid, 'SIGKILL')
/** After SIGKILL to oneself nothing more may happen, not even in this turn. */
const never = () => new Promise(() => {})

const gates = new Map()
const outside = {
  sinkFile: undefined,
  nodeName: '',
  tell,
  die,
  /** Waits until the driver opens the gate; tells it that somebody stands there. */
  gate(name) {
    tell({ event: 'gate', name })
    return new Promise((resolve) => gates.set(name, resolve))
  },
}

const log = (level, area) => (text, fields) => tell({ event: 'log', level, area, text, fields })
const loggerFor = (area) => ({
  debug() {},
  info: log('info', area),
  warn: log('warn', area),
  error: log('error', area),
  area: (name) => loggerFor(name),
})

/** Counts the writes of a node by kind, and ends the process at the one that was asked for. */
function crashing(store, crash) {
  const counts = { commit: 0, transact: 0, claim: 0, revise: 0 }
  const strikes = (op, when) => crash?.op === op && crash.when === when && counts[op] === crash.n
  const strike = () => {
    die()
    return never()
  }
  return {
    counts,
    store: {
      ...store,
      commits: {
        ...store.commits,
        async commit(batch) {
          counts.commit += 1
          if (strikes('commit', 'before')) await strike()
          const mine = counts.commit
          const answer = await store.commits.commit(batch)
          if (crash?.op === 'commit' && crash.when === 'after' && mine === crash.n) await strike()
          return answer
        },
      },
      transactions: {
        ...store.transactions,
        async transact(work, finish) {
          counts.transact += 1
          const answer = await store.transactions.transact(async (tx) => {
            const result = await work(tx)
            if (strikes('transact', 'before')) await strike()
            return result
          }, finish)
          if (strikes('transact', 'after')) await strike()
          return answer
        },
      },
      verbs: {
        ...store.verbs,
        async revise(revision) {
          counts.revise += 1
          if (strikes('revise', 'before')) await strike()
          const answer = await store.verbs.revise(revision)
          if (strikes('revise', 'after')) await strike()
          return answer
        },
      },
      agenda: {
        ...store.agenda,
        async claim(request) {
          const claims = await store.agenda.claim(request)
          if (claims.length > 0) counts.claim += 1
          if (claims.length > 0 && strikes('claim', 'after')) await strike()
          return claims
        },
      },
    },
  }
}

let node

async function open({
  url,
  name = 'node',
  crash,
  sinkFile,
  heart = false,
  engine: options = {},
  database = {},
  bus: via,
}) {
  const guard = historyGuard()
  const applicationName = `lockstep:${name}:${process.pid}:${process.hrtime.bigint()}`
  const db = await openPostgres({
    lanes: engineLanes,
    url,
    clock,
    random,
    applicationName,
    onConnect: (queries) => guard.check(queries),
    ...database,
  })
  const overPostgres = () => postgresWakeBus(db, clock, loggerFor('bus'))
  // Found by its address when it is wanted: most nodes here do without, and are not to load what is behind it.
  const bus =
    via === undefined
      ? await overPostgres()
      : await (await import(via.module)).openBus({ ...via, clock, random, logger: loggerFor('bus'), overPostgres })
  const { store, counts } = crashing(postgresEngineStore(db, { guard, application: applicationName }), crash)
  outside.sinkFile = sinkFile
  outside.nodeName = name
  const engine = await Engine.open({
    store,
    clock,
    random,
    bus,
    logger: loggerFor('engine'),
    workflows: [...scriptedWorkflows(outside), ...sagaWorkflows(outside)],
    activities: scriptedActivities(outside),
    name,
    ...(heart
      ? { heart: postgresHeart({ url, application: applicationName, clock, logger: loggerFor('heart') }) }
      : {}),
    onIncarnation: (nodeId) => tell({ event: 'incarnation', nodeId }),
    ...options,
  })
  node = { db, bus, engine, counts }
  return { nodeId: engine.nodeId }
}

const commands = {
  open,
  async close({ drainMs } = {}) {
    const { db, bus, engine } = node
    node = undefined
    await engine.close(drainMs)
    await bus.close()
    await db.close()
  },
  counts: () => node.counts,
  /** What the bus of this node did to messages, where it is one that keeps count. */
  mischief: () => node.bus.mischief?.(),
  stats: () => ({ ...node.engine.stats, nodeId: node.engine.nodeId }),
  start: (request) => node.engine.start(request),
  startMany: ({ requests }) => Promise.all(requests.map((request) => node.engine.start(request))),
  /** Answers of calls that may fail one by one. */
  tryMany: async ({ calls }) =>
    Promise.all(
      calls.map(({ op, args }) =>
        commands[op](args).then(
          (value) => ({ value }),
          (error) => ({ error: error.code ?? String(error) }),
        ),
      ),
    ),
  resume: (request) => node.engine.resume(request),
  publish: (request) => node.engine.publish(request),
  cancel: ({ instanceId, ...options }) => node.engine.cancel(instanceId, options),
  verb: ({ verb, instanceId, args = [] }) => node.engine.verbs[verb](instanceId, ...args),
  incidents: ({ method, args = [] }) => node.engine.incidents[method](...args),
  bulk: ({ method, args = [] }) => node.engine.bulk[method](...args),
  doctor: () => node.engine.doctor(),
  journal: ({ instanceId }) => node.engine.journal(instanceId),
  async publishDocument({ document }) {
    const { definitions } = node.engine
    await definitions.create('default', document).catch(() => definitions.saveDraft('default', document.id, document))
    return definitions.publish('default', document.id)
  },
  testRun: (request) => node.engine.testRuns.start(request),
  get: ({ instanceId }) => node.engine.get(instanceId),
  list: (filter) => node.engine.list(filter, 100),
  wait: async ({ instanceId, limitMs }) => (await node.engine.waitForEnd(instanceId, { limitMs })) ?? null,
  async publishGraphs() {
    for (const document of [...graphDocuments, ...sagaDocuments]) {
      await node.engine.definitions.create('default', document)
      await node.engine.definitions.publish('default', document.id)
    }
  },
  order: ({ nodeId, wanted }) => node.engine.cluster.order(nodeId, wanted),
  /** Parts of an instance, wherever it runs, until it has ended. */
  async follow({ instanceId }) {
    const parts = []
    for await (const part of node.engine.results.follow(instanceId)) parts.push(part)
    return parts
  },
  /** Keeps the main loop busy for a while, or until there is a file. */
  block: async ({ ms = 120_000, file }) => {
    const until = clock.monotonic() + ms
    while (clock.monotonic() < until && !(file !== undefined && existsSync(file)));
  },
  openGate: async ({ name }) => {
    gates.get(name)?.()
    gates.delete(name)
  },
}

process.on('message', async ({ id, op, args }) => {
  try {
    tell({ id, value: (await commands[op](args ?? {})) ?? null })
  } catch (error) {
    tell({ id, error: { code: error.code, message: error.message } })
  }
})
process.on('disconnect', () => process.exit(0))
tell({ event: 'ready' })
