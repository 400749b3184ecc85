// A process that works under a mutex, told what to do over IPC. Runs on the built packages, as a deployment does.
// What it believes goes to a log that only grows; what it does goes to a resource outside. It is careless on purpose:
// it writes without looking at `lease.signal`, so that only the fence stands between a late write and the resource.
import { appendFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { coordinator } from '@lockstep/coordination'
import { openProvider } from './open-provider.mjs'

const tell = (message) => process.send?.(message)
const now = () => process.hrtime.bigint().toString()

let settings
let opened
let own
let resource
let looping
let stopped = false
const counts = { stints: 0, refusals: {} }

function note(event, lease, more = {}) {
  const line = { worker: settings.worker, fence: lease.fence.toString(), event, at: now(), ...more }
  appendFileSync(settings.logFile, `${JSON.stringify(line)}\n`)
}

/** Notes that `assertHeld` says yes; the moment is taken before it is asked. */
function trusts(lease) {
  const at = now()
  try {
    lease.assertHeld()
  } catch {
    return false
  }
  note('trusted', lease, { at })
  return true
}

function connectResource(port) {
  const socket = createConnection(port, '127.0.0.1')
  const asked = new Map()
  let last = 0
  createInterface({ input: socket }).on('line', (line) => {
    const { id, accepted } = JSON.parse(line)
    asked.get(id)?.(accepted)
    asked.delete(id)
  })
  return {
    write: (lease) =>
      new Promise((resolve) => {
        last += 1
        asked.set(last, resolve)
        socket.write(`${JSON.stringify({ id: last, worker: settings.worker, fence: lease.fence.toString() })}\n`)
      }),
    close: () => socket.end(),
  }
}

/** One stint under the lock: trust, write, work, trust, write. */
async function stint(options) {
  const askedAt = now()
  const lease = await own.mutex(settings.lock).acquire(options)
  note('started', lease, { askedAt })
  lease.signal.addEventListener('abort', () => note('signal', lease))
  counts.stints += 1
  trusts(lease)
  await resource.write(lease)
  await delay(settings.workMs)
  trusts(lease)
  await resource.write(lease)
  note('ended', lease, { outcome: await lease.release() })
}

async function loop() {
  while (!stopped) {
    try {
      await stint({ ttlMs: settings.ttlMs, waitMs: settings.waitMs })
    } catch (error) {
      const code = error.code ?? error.message
      counts.refusals[code] = (counts.refusals[code] ?? 0) + 1
      await delay(20)
    }
    if (settings.pauseMs > 0) await delay(settings.pauseMs)
  }
}

const kept = new Map()
const operations = {
  async open(args) {
    settings = { lock: 'the lock', ttlMs: 500, waitMs: 10_000, workMs: 5, pauseMs: 0, ...args }
    opened = await openProvider(settings.provider, { clock, random })
    own = coordinator({ provider: opened.provider, name: settings.worker, clock, random, askAgainMs: 250 })
    if (settings.resourcePort !== undefined) resource = connectResource(settings.resourcePort)
  },
  async loop() {
    looping = loop()
  },
  async endLoop() {
    stopped = true
    await looping
    return counts
  },
  counts: async () => counts,
  /** Takes the lock and keeps it, with one write. */
  async take({ as = 'lease', lock = settings.lock, ttlMs = settings.ttlMs, waitMs = settings.waitMs, renew = true }) {
    const askedAt = now()
    const lease = await own.mutex(lock).acquire({ ttlMs, waitMs, renew })
    kept.set(as, lease)
    note('started', lease, { askedAt })
    lease.signal.addEventListener('abort', () => note('signal', lease))
    trusts(lease)
    await resource?.write(lease)
    return { fence: lease.fence.toString() }
  },
  /** What a holder does that never looks up. */
  async writeBlindly({ as = 'lease' }) {
    const lease = kept.get(as)
    return { accepted: await resource.write(lease) }
  },
  async look({ as = 'lease' }) {
    const lease = kept.get(as)
    const trusted = trusts(lease)
    return { trusted, aborted: lease.signal.aborted, reason: lease.signal.reason?.details?.reason }
  },
  /** How many wait for a lock in the store. */
  async waiting({ lock = settings.lock }) {
    return (await opened.provider.registry.read(lock))?.waitingCount ?? 0
  },
  async release({ as = 'lease' }) {
    return kept.get(as).release()
  },
  async block({ ms }) {
    const end = process.hrtime.bigint() + BigInt(ms) * 1_000_000n
    while (process.hrtime.bigint() < end);
  },
  /** Blocks, and acts in the same turn in which it comes back, before any timer can have run. */
  async blockThenTrust({ ms, as = 'lease' }) {
    await operations.block({ ms })
    return { trusted: trusts(kept.get(as)), left: kept.get(as).remainingMs() }
  },
  async close() {
    stopped = true
    await own.close()
    await looping
    await opened.close()
    resource?.close()
  },
}

process.on('message', async ({ id, op, args }) => {
  try {
    tell({ id, value: await operations[op](args ?? {}) })
  } catch (error) {
    tell({ id, error: { code: error.code, message: error.stack ?? String(error) } })
  }
  // Nothing but what the product left behind may keep the process alive from here on.
  if (op === 'close') process.disconnect()
})
process.on('unhandledRejection', (error) => tell({ event: 'unhandled', text: String(error?.stack ?? error) }))
process.on('uncaughtException', (error) => tell({ event: 'unhandled', text: String(error?.stack ?? error) }))
process.on('disconnect', () => {
  if (own === undefined) process.exit(0)
})
