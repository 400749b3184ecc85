import { setTimeout as delay } from 'node:timers/promises'

const SETTLE_MS = 4_000

/** Statements of one database so far. Its own counters, when the extension is not there, count transactions and lag by seconds. */
const byStatement = `
  select d.datname as name, coalesce(sum(s.calls), 0)::float8 as calls
    from pg_database d left join pg_stat_statements s on s.dbid = d.oid group by d.datname`
const byTransaction =
  'select datname as name, (xact_commit + xact_rollback)::float8 as calls from pg_stat_database where datname is not null'
const top = `
  select left(regexp_replace(s.query, '\\s+', ' ', 'g'), 80) as query, s.calls::float8 as calls
    from pg_stat_statements s join pg_database d on d.oid = s.dbid where d.datname = $1`

/** How often a node asks the database when nothing happens, beside a peer that is just as idle at the same time. */
export async function measureIdle(bench, postgres, { name, peer, hasStatements }) {
  const { idleSeconds } = bench.settings
  await delay(SETTLE_MS)
  bench.say(`nothing, for ${idleSeconds} s`)
  const look = async () => {
    const rows = await postgres.query(hasStatements ? byStatement : byTransaction)
    return new Map(rows.map((row) => [row.name, row.calls]))
  }
  const texts = async () =>
    hasStatements ? new Map((await postgres.query(top, [name])).map((row) => [row.query, row.calls])) : new Map()
  const textsBefore = await texts()
  const from = performance.now()
  const before = await look()
  await delay(idleSeconds * 1000)
  const after = await look()
  const seconds = (performance.now() - from) / 1000
  const rate = (database) => (after.get(database) - before.get(database)) / seconds
  const asked = [...(await texts())].map(([query, calls]) => [query, calls - (textsBefore.get(query) ?? 0)])
  bench.round('idle', { perSecond: rate(name), queries: Object.fromEntries(asked.filter(([, calls]) => calls > 0)) })
  bench.figure({
    what: 'idle node',
    value: rate(name),
    unit: hasStatements ? 'queries/s' : 'transactions/s',
    ...(peer && { ratio: rate(name) / rate(peer), against: 'DBOS, idle' }),
    target: { of: 'value', most: 2 },
  })
}
