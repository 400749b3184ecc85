// Run when the package is built: `node dist/pglite/make-snapshot.js`. Makes only what is missing.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { migrate } from '../migrations/migrate.ts'
import { openPglite } from './open-pglite.ts'
import { packSnapshot, SNAPSHOT_SCHEMA, snapshotFiles, snapshotFolder } from './snapshot.ts'

async function makeSnapshot(file: string, isMigrated: boolean): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'lockstep-snapshot-'))
  try {
    // The empty one is the first to be made, and the start of the other.
    const db = await openPglite({ dataDir, clock, random, schema: SNAPSHOT_SCHEMA })
    if (isMigrated) await migrate(db, { mode: 'auto', clock, random, appliedBy: 'snapshot' })
    // Closed first: a folder that was left in order opens without recovery.
    await db.close()
    writeFileSync(`${file}.${process.pid}`, packSnapshot(join(dataDir, 'pgdata')))
    renameSync(`${file}.${process.pid}`, file)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const { empty, migrated } = await snapshotFiles()
mkdirSync(snapshotFolder, { recursive: true })
const wanted = [basename(empty), basename(migrated)]
for (const name of readdirSync(snapshotFolder))
  if (!wanted.includes(name)) rmSync(join(snapshotFolder, name), { recursive: true })
if (!existsSync(empty)) await makeSnapshot(empty, false)
if (!existsSync(migrated)) await makeSnapshot(migrated, true)
console.log(`embedded snapshots: ${wanted.join(', ')}`)
