/**
 * Three real servers with everything that can be configured, under load, while one thing after the other breaks. What was acknowledged is
 * there at the end, each resume and each grant of a lock happened once, and the journals say so. LOCKSTEP_MATRIX=full: RabbitMQ,
 * an orderly restart of PostgreSQL and kill -9 of a node too, and each fault several times.
 */
import { systemClock as clock, systemRandom as random, silentLogger } from '@lockstep/base'
import { type Db, migrate, openPostgres } from '@lockstep/postgres'
import { type ServerHandle, startPostgres, startRabbitmq, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DevNode } from '../../packages/lockstep/src/cluster-dev/dev-node.ts'
import { RedisShell } from '../coordination/redis-shell.ts'
import { checkHistory, readHistory } from '../faults/check-history.ts'
import { readRows } from '../faults/read-rows.ts'
import { until } from '../faults/until.ts'
import { serverNode } from './front.ts'

const isFull = process.env.LOCKSTEP_MATRIX === 'full'
const ROUNDS = isFull ? 5 : 1
/** Instances that must end behind each fault before the next one comes. */
const BETWEEN = 8
const LONGEST_MS = 120_000
const ZONES = ['UTC', 'America/New_York', 'Asia/Kolkata']

const document = {
  id: 'order',
  activities: [
    {
      id: 'alone',
      type: 'critical-section',
      inputs: { lock: { $expr: "'till-' + input.till" }, waitTimeout: '10m' },
      body: {
        activities: [{ id: 'inside', type: 'set-variable', inputs: { name: 'sold', value: true } }],
        connections: [],
      },
    },
    { id: 'rest', type: 'delay', inputs: { duration: '100ms' } },
    { id: 'ask', type: 'wait-for-event', inputs: { event: 'paid' } },
  ],
  connections: [
    { from: 'alone', to: 'rest' },
    { from: 'rest', to: 'ask' },
  ],
  variables: { sold: { type: 'boolean', default: false } },
}

describe('a cluster under load', () => {
  let postgres: ServerHandle
  let redis: ServerHandle
  let rabbitmq: ServerHandle | undefined
  let db: Db
  let nodes: readonly DevNode[] = []
  beforeAll(async () => {
    ;[postgres, redis, rabbitmq] = await Promise.all([
      startPostgres({ quiet: true, durable: true, maxConnections: 200 }),
      startRedis({ quiet: true }),
      isFull ? startRabbitmq({ quiet: true }) : undefined,
    ])
    db = await openPostgres({ url: postgres.url, clock, random, logger: silentLogger })
    await migrate(db, { mode: 'auto', clock, random })
    await db.script('create table public.ledger (instance_id uuid, step text)')
    nodes = ZONES.map((TZ, index) =>
      serverNode(
        `node-${index + 1}`,
        postgres.url,
        {
          ...{ TZ, LOCKSTEP_REDIS_URL: redis.url, LOCKSTEP_LOCKS: 'redis', LOCKSTEP_CACHE: 'redis' },
          // An instance whose nodes are buried again and again because the machine is busy would be taken for poison.
          ...{ LOCKSTEP_LOCK_TTL_MS: '3000', LOCKSTEP_HEARTBEAT_MS: '500', LOCKSTEP_NODE_TTL_MS: '5000' },
          ...(rabbitmq === undefined
            ? { LOCKSTEP_BUS: 'redis' }
            : { LOCKSTEP_BUS: 'rabbitmq', LOCKSTEP_RABBITMQ_URL: rabbitmq.url }),
        },
        [],
      ),
    )
    await Promise.all(nodes.map((node) => node.start()))
    const response = await send(nodes[0]!, 'PUT', '/workflow-definitions/order', document)
    expect(response.status).toBe(201)
  })
  afterAll(async () => {
    for (const node of nodes) node.kill()
    await Promise.all(nodes.map((node) => node.ended()))
    await db?.close()
    await Promise.all([postgres?.stop(), redis?.stop(), rabbitmq?.stop()])
  })

  const acknowledged = { started: new Set<string>(), resumed: new Set<string>() }
  let [isOver, turn] = [false, 0]

  /** Whatever fails is not acknowledged, and that is all the load knows of it. */
  const work = async (): Promise<void> => {
    while (!isOver) {
      const id = await order()
      if (id === undefined) await new Promise((resolve) => setTimeout(resolve, 50))
      else await payFor(nodes[(turn + 1) % 3]!, id)
    }
  }
  const order = async (): Promise<string | undefined> => {
    turn += 1
    const till = turn % 3
    const started = await send(nodes[till]!, 'POST', '/workflow-instances', { definitionId: 'order', input: { till } })
    const id = (started.body as { id?: string } | undefined)?.id
    if (started.status !== 201 || id === undefined) return undefined
    acknowledged.started.add(id)
    return id
  }
  const payFor = async (node: DevNode, id: string): Promise<void> => {
    for (let attempt = 0; attempt < 40 && !isOver; attempt += 1) {
      const said = await send(node, 'POST', `/workflow-instances/${id}/resume`, { bookmark: 'paid' })
      if (said.status === 200) {
        expect(acknowledged.resumed.has(id)).toBe(false)
        acknowledged.resumed.add(id)
      }
      const isPaid = said.status === 409 && (said.body as { outcome?: string }).outcome !== 'in-progress'
      if (said.status === 200 || isPaid) return
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const goesOn = async (behind: string): Promise<void> => {
    const before = acknowledged.resumed.size
    await until(`work goes on behind: ${behind}`, () => acknowledged.resumed.size >= before + BETWEEN, LONGEST_MS)
  }
  const shell = async (run: (redisShell: RedisShell) => Promise<unknown>): Promise<void> => {
    await using open = await RedisShell.open(redis.url)
    await run(open)
  }

  const faults: Readonly<Record<string, () => Promise<void>>> = {
    'Redis killed': async () => {
      await redis.kill9()
      await goesOnWithoutRedis()
      await redis.start()
    },
    'Redis flushed': () => shell((open) => open.send('FLUSHALL')),
    'Redis evicting': () =>
      shell(async (open) => {
        await open.send('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
        await open.send('CONFIG', 'SET', 'maxmemory', '1mb')
        const evicted = async (): Promise<boolean> => Number(await open.info('evicted_keys')) > 0
        await until('something was evicted', evicted, LONGEST_MS)
        await goesOnWithoutRedis()
        await open.send('CONFIG', 'SET', 'maxmemory', '0')
      }),
    'Redis paused': async () => {
      await redis.pause()
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      await redis.resume()
    },
    ...(isFull && {
      'RabbitMQ killed': async () => {
        await rabbitmq!.kill9()
        await goesOn('RabbitMQ is away')
        await rabbitmq!.start()
      },
      'PostgreSQL restarted': () => postgres.restart(),
      'a node killed': async () => {
        nodes[2]!.kill()
        await nodes[2]!.ended()
        await nodes[2]!.start()
      },
    }),
    'PostgreSQL killed': async () => {
      await postgres.kill9()
      await postgres.start()
    },
    'a node stopped past its life': async () => {
      const { pid } = nodes[1]!
      process.kill(pid!, 'SIGSTOP')
      await until('the others have buried it', async () => (await nodeNames()).length === 2, LONGEST_MS)
      process.kill(pid!, 'SIGCONT')
      await until('it is back', async () => (await nodeNames()).length === 3, LONGEST_MS)
    },
  }
  const nodeNames = () => readRows(db, 'select name from node')
  /**
   * Sections wait for their locks, since nobody runs without one; starts and whatever needs no lock are not held up. Asked for here: those
   * who make the load may all wait for a section.
   */
  const goesOnWithoutRedis = () =>
    until('a start is taken without Redis', async () => (await order()) !== undefined, LONGEST_MS)

  it('loses nothing and does nothing twice, whatever breaks', { timeout: 900_000 }, async () => {
    const loads = Array.from({ length: 4 }, work)
    await goesOn('the beginning')
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [name, strike] of Object.entries(faults)) {
        const from = performance.now()
        await strike()
        await goesOn(name)
        process.stdout.write(`fault matrix: ${name}, work went on after ${Math.round(performance.now() - from)} ms\n`)
      }
    isOver = true
    await Promise.all(loads)
    isOver = false
    // Whoever was started and never heard of a resume is paid for now.
    for (const id of acknowledged.started) if (!acknowledged.resumed.has(id)) await payFor(nodes[0]!, id)
    const open = () => readRows<{ id: string }>(db, 'select id from instance where finished_at is null')
    // A start whose answer was lost exists too: it waits for its payment, or for its lock before that.
    const payOpen = async (): Promise<boolean> => {
      const left = await open()
      for (const { id } of left) await payFor(nodes[0]!, `wfi_${id}`)
      return left.length === 0
    }
    await until('everything has ended', payOpen, LONGEST_MS)

    const rows = await readRows<{ id: string; status: string }>(db, 'select id, status from instance')
    expect(rows.filter((row) => row.status !== 'completed')).toEqual([])
    const known = new Set(rows.map((row) => `wfi_${row.id}`))
    expect([...acknowledged.started].filter((id) => !known.has(id))).toEqual([])
    const { started, resumed } = acknowledged
    const said = `${started.size} starts and ${resumed.size} resumes acknowledged, ${rows.length} instances ended`
    process.stdout.write(`fault matrix: ${ROUNDS * Object.keys(faults).length} faults, ${said}\n`)
    const grants = await readRows<{ lock: string; fence: string; count: number }>(
      db,
      `select data ->> 'lock' as lock, data ->> 'fence' as fence, count(*)::integer as count
         from journal where kind = 'opened' and data ->> 'lock' is not null group by 1, 2 having count(*) > 1`,
    )
    expect(grants).toEqual([])
    expect(checkHistory(await readHistory(db), [])).toEqual([])
  })
})

async function send(
  node: DevNode,
  method: string,
  path: string,
  body: unknown,
): Promise<{ readonly status: number; readonly body: unknown }> {
  try {
    const response = await fetch(`${node.url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    })
    return { status: response.status, body: await response.json().catch(() => undefined) }
  } catch {
    return { status: 0, body: undefined }
  }
}
