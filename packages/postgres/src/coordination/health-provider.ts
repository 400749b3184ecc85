import { type Clock, deferred, errorMessage, type Random } from '@lockstep/base'
import type { Finding, HealthProvider } from '@lockstep/coordination'
import type { Db } from '../db/db.ts'
import { notify } from '../db/notify.sql.ts'
import { facts, type ServerFacts } from './health.sql.ts'
import { orRefuse } from './refuse.ts'

/** How long a message to ourselves may take before we say that none arrive. */
const LOOP_MS = 2_000

export interface HealthParts {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
}

export function postgresHealth({ db, clock, random }: HealthParts): HealthProvider {
  return {
    async probe() {
      const found = await orRefuse('probe', () => db.lane('control').one(facts))
      const loop = await sendToOurselves({ db, clock, random })
      return {
        at: found.at,
        server: db.kind === 'pglite' ? 'PGlite' : 'PostgreSQL',
        version: found.version,
        findings: [schema(found), replica(found), durability(db, found), subscription(loop), poolerMode(db, loop)],
      }
    },
  }
}

function schema({ migrated }: ServerFacts): Finding {
  if (migrated) return { check: 'schema', level: 'ok', finding: 'The tables of leases are there.' }
  return {
    check: 'schema',
    level: 'error',
    finding: 'The tables of leases are missing from the search path.',
    fix: 'Apply the migrations; behind a pooler, give the role its search_path (ALTER ROLE … SET search_path).',
  }
}

function replica({ recovering, readOnly }: ServerFacts): Finding {
  if (!recovering && !readOnly) return { check: 'replica', level: 'ok', finding: 'The server takes writes.' }
  return {
    check: 'replica',
    level: 'error',
    finding: recovering ? 'This is a standby: it takes no leases.' : 'The server is read-only: it takes no leases.',
    fix: 'Connect to the primary, or name all hosts with target_session_attrs=read-write.',
  }
}

function durability(db: Db, { synchronousCommit, fsync, standbys }: ServerFacts): Finding {
  const check = 'persistence'
  if (db.kind === 'pglite')
    return {
      check,
      level: 'ok',
      finding:
        'Embedded: leases and fences survive the end of the process, not a power cut. Only this process sees them.',
    }
  if (synchronousCommit === 'off' || fsync === 'off')
    return {
      check,
      level: 'error',
      finding: `With ${fsync === 'off' ? 'fsync' : 'synchronous_commit'} off a crash of the server loses the last grants, and their fences are given out again.`,
      fix: 'Set fsync = on, and synchronous_commit = on (at least for this role).',
    }
  return {
    check,
    level: 'ok',
    finding:
      standbys === ''
        ? 'Grants are on disk before they are answered. Without a synchronous standby a failover can lose the last of them.'
        : 'Grants are on disk, here and on a synchronous standby, before they are answered.',
  }
}

function subscription(loop: Loop): Finding {
  const check = 'subscription'
  if (loop.arrived) return { check, level: 'ok', finding: 'Messages arrive: waiters are woken at once.' }
  return {
    check,
    level: 'warning',
    finding: `Messages do not arrive (${loop.reason}): waiters fall back to asking from time to time.`,
    fix: 'LISTEN needs a session of its own: name a direct address with `listenUrl` when `url` leads to a transaction pooler.',
  }
}

/** No session state is ever relied on, so every mode will do; only listening is different, and that was tried. */
function poolerMode(db: Db, loop: Loop): Finding {
  const check = 'pooler-mode'
  if (db.kind === 'pglite') return { check, level: 'ok', finding: 'Embedded: there is no pooler.' }
  if (loop.arrived)
    return {
      check,
      level: 'ok',
      finding: 'Leases keep nothing in a session: direct, session and transaction pooling all do.',
    }
  return {
    check,
    level: 'warning',
    finding:
      'Leases hold in every pooling mode, but the listening connection seems to go through a transaction pooler.',
    fix: 'Give `listenUrl` a direct address, or one with session pooling.',
  }
}

type Loop = { readonly arrived: true } | { readonly arrived: false; readonly reason: string }

/** The only proof that a subscription works is a message that came through it. */
async function sendToOurselves({ db, clock, random }: HealthParts): Promise<Loop> {
  const channel = `lease_probe_${Buffer.from(random.bytes(12)).toString('hex')}`
  const arrived = deferred<Loop>()
  const timer = clock.schedule(LOOP_MS, () => arrived.resolve({ arrived: false, reason: `none within ${LOOP_MS} ms` }))
  try {
    const probe = async (): Promise<Loop> => {
      await using _listening = await db.listen(channel, {
        onMessage: () => arrived.resolve({ arrived: true }),
        onResync: () => {},
      })
      await db.lane('control').run(notify, { channel, payload: 'probe' })
      return await arrived.promise
    }
    return await Promise.race([probe(), arrived.promise])
  } catch (error) {
    return { arrived: false, reason: errorMessage(error) }
  } finally {
    timer.cancel()
  }
}
