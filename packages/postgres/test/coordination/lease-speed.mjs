// Acquire + release of a mutex against a bare upsert + update pair (two autocommit statements), on a server that syncs.
// After `npx tsc -b packages/postgres packages/testing`: node packages/postgres/test/coordination/lease-speed.mjs
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { migrate, openPostgres, postgresCoordination, statement } from '@lockstep/postgres'
import { cloneDatabase, startPostgres } from '@lockstep/testing/harness'
import pg from 'pg'

const SECONDS = Number(process.argv[2] ?? 2)
const server = await startPostgres({ quiet: true, durable: true })
const { url } = await cloneDatabase(server, 'template1')
const db = await openPostgres({ url, clock, random })
await migrate(db, { mode: 'auto', clock, random })
await db.script(
  'create table bare (name text primary key, owner text, fence bigint not null, expires_at timestamptz) with (fillfactor = 50)',
)
const provider = postgresCoordination(db, { clock, random })
const lane = db.lane('control')

const upsertText = `insert into bare as b (name, owner, fence, expires_at) values ($1, $2, 1, clock_timestamp() + interval '30 s')
  on conflict (name) do update set owner = excluded.owner, fence = b.fence + 1, expires_at = excluded.expires_at
  where b.expires_at <= clock_timestamp() returning fence`
const freeText = `update bare set expires_at = '-infinity' where name = $1 and owner = $2`
const upsert = statement('bare_upsert', (p) => [p.name, p.owner], upsertText)
const free = statement('bare_free', (p) => [p.name, p.owner], freeText)

let count = 0
const holder = JSON.stringify({ nodeId: 'node-1', node: 'bench', pid: 1, host: 'here' })
const request = (name) => ({
  name,
  token: `token-${++count}`,
  kind: 'mutex',
  share: { kind: 'mutex' },
  ttlMs: 30_000,
  fenceCount: 5,
  holder,
  address: 'node-1',
})

/** The calls of one tick in one call, as the coordinator sends them. */
function gathered(call) {
  let items = []
  return (item) =>
    new Promise((resolve, reject) => {
      if (items.push({ item, resolve, reject }) > 1) return
      setImmediate(() => {
        const batch = items
        items = []
        call(batch.map((each) => each.item)).then(
          ({ answers }) => batch.forEach((each, i) => each.resolve(answers[i])),
          (error) => batch.forEach((each) => each.reject(error)),
        )
      })
    })
}

async function rate(concurrency, pair) {
  const end = performance.now() + SECONDS * 1_000
  let pairs = 0
  const from = performance.now()
  await Promise.all(
    Array.from({ length: concurrency }, async (_, worker) => {
      while (performance.now() < end) {
        await pair(`lock-${worker}`, worker)
        pairs += 1
      }
    }),
  )
  return pairs / ((performance.now() - from) / 1_000)
}

const leases = provider.leases
const acquire = gathered((items) => leases.acquire(items))
const release = gathered((items) => leases.release(items))
const pool = new pg.Pool({ connectionString: url, max: 32, options: `-c search_path=${db.schema}` })
const ways = {
  'bare, our lane': async (name) => {
    const owner = `token-${++count}`
    await lane.run(upsert, { name, owner })
    await lane.run(free, { name, owner })
  },
  'bare, pg pool of 32': async (name) => {
    const owner = `token-${++count}`
    await pool.query({ name: 'upsert', text: upsertText, values: [name, owner] })
    await pool.query({ name: 'free', text: freeText, values: [name, owner] })
  },
  'lease, one by one': async (name) => {
    const asked = request(name)
    const { answers } = await leases.acquire([asked])
    if (answers[0].status !== 'granted') throw new Error(answers[0].status)
    await leases.release([asked])
  },
  'lease, gathered': async (name) => {
    const asked = request(name)
    const answer = await acquire(asked)
    if (answer.status !== 'granted') throw new Error(answer.status)
    await release(asked)
  },
}
for (const concurrency of [1, 64]) {
  const figures = Object.fromEntries(Object.keys(ways).map((way) => [way, []]))
  for (let round = 0; round < 4; round++)
    for (const [way, pair] of Object.entries(ways)) {
      const pairs = await rate(concurrency, pair)
      if (round > 0) figures[way].push(pairs)
    }
  const median = (list) => [...list].sort((a, b) => a - b)[1]
  const bare = Math.max(
    median(figures['bare, our lane']),
    concurrency === 1 ? 0 : median(figures['bare, pg pool of 32']),
  )
  for (const [way, list] of Object.entries(figures))
    console.log(
      `${concurrency}`.padStart(3),
      way.padEnd(22),
      `${Math.round(median(list))}`.padStart(7),
      'pairs/s',
      (median(list) / bare).toFixed(2),
    )
}

const many = Array.from({ length: 10_000 }, (_, i) => request(`held-${i}`))
for (let i = 0; i < many.length; i += 1_000) await leases.acquire(many.slice(i, i + 1_000))
const from = performance.now()
await leases.renew(many.map((each) => ({ ...each, ttlMs: 30_000 })))
console.log('renewing 10,000 leases:', Math.round(performance.now() - from), 'ms')
await pool.end()
await provider.close()
await db.close()
await server.stop()
