import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { say } from '../scripts/bootstrap/say.mjs'
import { installPeers } from './install-peers.mjs'
import { startEngine } from './process/engine-process.mjs'
import { openPostgresServer } from './servers/postgres.mjs'
import { openRedisServer } from './servers/redis.mjs'

const engineFiles = {
  lockstep: 'engines/lockstep.mjs',
  unhooked: 'engines/unhooked.mjs',
  bare: 'engines/bare.mjs',
  locks: 'engines/locks.mjs',
  bareCommits: 'engines/bare-commits.mjs',
  bareLocks: 'engines/bare-locks.mjs',
  timedCommits: 'engines/timed-commits.mjs',
  sweeper: 'engines/sweeper.mjs',
  reader: 'engines/reader.mjs',
  clusterNode: 'engines/cluster-node.mjs',
  rest: 'engines/rest.mjs',
  cannon: 'engines/cannon.mjs',
}
const peerFiles = {
  DBOS: 'peers/dbos.mjs',
  Restate: 'peers/restate.mjs',
  BullMQ: 'peers/bullmq.mjs',
  'redis-semaphore': 'peers/redis-semaphore.mjs',
  redlock: 'peers/redlock.mjs',
}

/** What a part works with. Whatever it opens here is closed when the part ends, however it ends, last opened first. */
export function openBench({ part, settings, switches, report }) {
  const opened = []
  const keep = (resource) => {
    opened.push(resource)
    return resource
  }
  const start = async (name, file, options) => {
    const engine = keep(await startEngine(name, new URL(file, import.meta.url)))
    await engine.call('open', options)
    return engine
  }
  const optional = async (name, open) => {
    if (switches.noPeers) return undefined
    try {
      return await open()
    } catch (error) {
      report.failure(part, name, error)
      return undefined
    }
  }
  return {
    settings,
    switches,
    say: (text) => say(`bench: ${part}: ${text}`),
    round: (name, measured) => report.round(part, name, measured),
    load: (name, measured) => report.load(part, name, measured),
    figure: (figure) => report.figure(part, figure),
    failure: (what, error) => report.failure(part, what, error),
    postgres: async (serverSettings) => keep(await openPostgresServer(serverSettings)),
    /** Only peers need it: `undefined` without them, or when it cannot run here. */
    redis: () => optional('Redis', async () => keep(await openRedisServer())),
    redisServer: async () => keep(await openRedisServer()),
    keep,
    folder() {
      const made = mkdtempSync(path.join(tmpdir(), 'lockstep-bench-'))
      keep({ stop: async () => rmSync(made, { recursive: true, force: true, maxRetries: 5 }) })
      return made
    },
    engine: (kind, options, name = kind) => start(name, engineFiles[kind], options),
    /** As above; also `undefined` without options, since what they name is not there. The reason is in the report, and the part goes on. */
    async peer(name, options) {
      if (options === undefined) return undefined
      return optional(name, async () => {
        await installPeers()
        return start(name, peerFiles[name], options)
      })
    },
    async close() {
      for (const resource of opened.splice(0).reverse()) {
        await resource.stop().catch((error) => say(`bench: ${part}: closing: ${error.message}`))
      }
    },
  }
}
