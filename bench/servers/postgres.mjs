import { startPostgres } from '@lockstep/testing/harness'
import { pg } from './driver.mjs'

/** A private PostgreSQL as it comes out of the box: every commit is on disk before it is acknowledged. */
export async function openPostgresServer(settings = {}) {
  const server = await startPostgres({ durable: true, settings })
  const admin = new pg.Client({ connectionString: server.url, application_name: 'bench' })
  admin.on('error', () => {})
  await admin.connect()
  const urlOf = (name) => {
    const url = new URL(server.url)
    url.pathname = `/${name}`
    return url.href
  }
  return {
    get pids() {
      return [server.pid]
    },
    query: async (text, values) => (await admin.query(text, values)).rows,
    /** Gone first if it is there: an external server may keep one from an earlier run. */
    async createDatabase(name) {
      await admin.query(`drop database if exists "${name}" with (force)`)
      await admin.query(`create database "${name}"`)
      return urlOf(name)
    },
    /** A session in one of the databases, for seeding and reading results. */
    async connect(url) {
      const client = new pg.Client({ connectionString: url, application_name: 'bench' })
      client.on('error', () => {})
      await client.connect()
      return {
        query: async (text, values) => (await client.query(text, values)).rows,
        stop: () => client.end(),
      }
    },
    /** Of the whole server: WAL written so far in bytes, and transactions so far that wrote something. */
    async counters() {
      const [row] = await this.query(
        `select (pg_current_wal_insert_lsn() - '0/0')::text as wal, pg_snapshot_xmax(pg_current_snapshot())::text as writes`,
      )
      return { wal: Number(row.wal), writes: Number(row.writes) }
    },
    async stop() {
      await admin.end().catch(() => undefined)
      await server.stop()
    },
  }
}
