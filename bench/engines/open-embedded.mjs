// Opens an embedded store once, in a process that has done nothing before, and tells how long that took: from a running
// Node to the first answer, loading the code included. The first argument says which store, the second where.
const [how, folder] = process.argv.slice(2)
const ways = { lockstep: openLockstep, bare: openBare }
const from = performance.now()
const close = await ways[how]()
const tookMs = performance.now() - from
const rssBytes = process.memoryUsage().rss
await close()
process.send({ tookMs, rssBytes }, () => process.disconnect())

/** The store that an engine begins with: opened, and its schema up to date. */
async function openLockstep() {
  const { silentLogger, systemClock, systemRandom } = await import('@lockstep/base')
  const { migrate, openPglite } = await import('@lockstep/postgres')
  const common = { clock: systemClock, random: systemRandom, logger: silentLogger }
  const db = await openPglite({ dataDir: folder, ...common })
  await migrate(db, { mode: 'auto', ...common })
  await db.ping()
  return () => db.close()
}

/** PGlite as it comes, without any schema. */
async function openBare() {
  const { loadPglite } = await import('../servers/driver.mjs')
  const { PGlite } = await loadPglite()
  const database = await PGlite.create(folder)
  await database.query('select 1')
  return () => database.close()
}
