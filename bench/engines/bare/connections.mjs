import { loadPglite, pg } from '../../servers/driver.mjs'
import { flush, join, schema } from './schema.mjs'

/** Connections that flush, on a server or embedded in this process, on tables of their own. */
export async function openConnections({ url, dataDir, flushers, node }) {
  const sessions = url === undefined ? [await embedded(dataDir)] : await onServer(url, flushers)
  await sessions[0].script(schema)
  await sessions[0].run(join, [node])
  return {
    flushes: sessions.map((session) => async (batch) => {
      const [row] = await session.run(flush, [
        node,
        batch.map((each) => each.id),
        batch.map((each) => each.seq),
        batch.map((each) => each.ended),
        `[${batch.map((each) => each.data).join(',')}]`,
      ])
      return row.at
    }),
    close: () => Promise.all(sessions.map((session) => session.close())),
  }
}

async function onServer(url, flushers) {
  const clients = Array.from({ length: flushers }, () => new pg.Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect()))
  return clients.map((client) => ({
    script: (text) => client.query(text),
    run: async (text, values) => (await client.query({ name: text.slice(0, 40), text, values })).rows,
    close: () => client.end(),
  }))
}

async function embedded(dataDir) {
  const { PGlite } = await loadPglite()
  const database = await PGlite.create(dataDir)
  return {
    script: (text) => database.exec(text),
    run: async (text, values) => (await database.query(text, values)).rows,
    close: () => database.close(),
  }
}
