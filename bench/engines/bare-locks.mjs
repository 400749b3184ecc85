// The least that a lock needs: SET NX PX and a compare-and-delete script on Redis, an upsert and an update on PostgreSQL. No fence, no queue, no renewal.
import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { closedLoop, oneAtATime } from '../measure/closed-loop.mjs'
import { answer } from '../process/answer.mjs'
import { pg } from '../servers/driver.mjs'

const compareAndDelete = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`
const POOL = 16
let pair
let ping
const closing = []

async function openRedis(url) {
  const ofProduct = createRequire(fileURLToPath(import.meta.resolve('@lockstep/redis')))
  const { createClient } = ofProduct('@redis/client')
  const client = createClient({ url })
  await client.connect()
  closing.push(() => client.close())
  const sha = await client.scriptLoad(compareAndDelete)
  ping = () => client.ping()
  pair = async (name) => {
    const token = randomUUID()
    if ((await client.set(name, token, { NX: true, PX: 30_000 })) === null) throw new Error('held')
    await client.evalSha(sha, { keys: [name], arguments: [token] })
  }
}

async function openPostgres(url) {
  const pool = new pg.Pool({ connectionString: url, max: POOL })
  closing.push(() => pool.end())
  await pool.query(
    'create table if not exists bare_lock (name text primary key, owner text, fence bigint not null, expires_at timestamptz) with (fillfactor = 50)',
  )
  ping = () => pool.query('select 1')
  pair = async (name) => {
    const owner = randomUUID()
    await pool.query({
      name: 'take',
      text: `insert into bare_lock as l (name, owner, fence, expires_at) values ($1, $2, 1, clock_timestamp() + interval '30 s')
             on conflict (name) do update set owner = excluded.owner, fence = l.fence + 1, expires_at = excluded.expires_at
             where l.owner is null or l.expires_at <= clock_timestamp() returning fence`,
      values: [name, owner],
    })
    await pool.query({
      name: 'free',
      text: 'update bare_lock set owner = null where name = $1 and owner = $2',
      values: [name, owner],
    })
  }
}

answer({
  open: ({ redisUrl, databaseUrl }) => (redisUrl === undefined ? openPostgres(databaseUrl) : openRedis(redisUrl)),
  load({ callers, rampMs, windowMs }) {
    let next = 0
    return closedLoop({ callers, rampMs, windowMs, once: () => pair(`bare:${next++ % callers}`) })
  },
  pairs: ({ count }) => oneAtATime(count, () => pair('bare:one')),
  pings: ({ count }) => oneAtATime(count, ping),
  async close() {
    for (const close of closing) await close()
  },
})
