// Beats for one node from a thread of its own, over a connection of its own: a main loop that is busy for a while is not taken for dead.
// It ends with its node; what to do about a beat is decided in the main loop, which hears of every answer.

import { parentPort, workerData } from 'node:worker_threads'
import { systemClock as clock, errorCode, errorMessage, systemRandom as random, silentLogger } from '@lockstep/base'
import { clockSkew, nodeStates } from '@lockstep/engine/ports'
import { openPostgres } from '../postgres/open-postgres.ts'
import { type FromHeart, HELD, type HeartStart, PULSE, STATE } from './membership-heart-messages.ts'
import { HeartRhythm } from './membership-heart-rhythm.ts'
import { postgresMembership } from './membership-store.ts'

const port = parentPort
if (port === null) throw new Error('membership-heart-thread.js runs as a worker thread only')
const start = workerData as HeartStart
const shared = new Int32Array(start.shared)
const post = (message: FromHeart): void => port.postMessage(message)

const { nodeId, heartbeatMs, ttlMs } = start
// An answer that takes longer than a life comes too late in any case.
const limits = { statementTimeoutMs: ttlMs, lockTimeoutMs: ttlMs, acquireTimeoutMs: ttlMs, connectTimeoutMs: ttlMs }
const db = await openPostgres({
  ...{ url: start.url, schema: start.schema, pooler: start.pooler, applicationName: start.application },
  ...{ clock, random, logger: silentLogger, ...limits },
  lanes: { control: { size: 1 } },
})
const membership = postgresMembership(db, start.application)
const rhythm = new HeartRhythm({ heartbeatMs, ttlMs, now: () => clock.monotonic() })
let skewMs: number | undefined
let beating = false
post({ kind: 'ready' })
turn()

function turn(): void {
  clock.schedule(heartbeatMs, turn, { keepAlive: true })
  if (rhythm.mayBeat(Atomics.load(shared, PULSE))) void beat()
}

async function beat(): Promise<void> {
  if (beating) return // the one before is not answered yet
  beating = true
  const sentAt = clock.now()
  try {
    const state = nodeStates[Atomics.load(shared, STATE)] ?? 'active'
    const answer = await membership.beat(nodeId, { state, held: Atomics.load(shared, HELD), skewMs })
    const receivedAt = clock.now()
    if (answer.at !== undefined) skewMs = clockSkew(answer.at, sentAt, receivedAt)
    post({ kind: 'beat', timed: { beat: answer, sentAt, receivedAt } })
  } catch (error) {
    post({ kind: 'failed', code: errorCode(error), reason: errorMessage(error) })
  } finally {
    beating = false
  }
}
