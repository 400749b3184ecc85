// Run when the package is built: `node dist/pglite/make-snapshot.js`. Does nothing when the snapshot is up to date.

import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { migrate } from '../migrations/migrate.ts'
import { openPglite } from './open-pglite.ts'
import { currentManifest, readManifest, snapshotArchive, snapshotFolder, snapshotManifest } from './snapshot.ts'
import { packTar } from './tar.ts'

const SCHEMA = 'lockstep'

async function makeSnapshot(): Promise<'made' | 'up to date'> {
  const manifest = await currentManifest(SCHEMA)
  if (JSON.stringify(readManifest()) === JSON.stringify(manifest)) return 'up to date'
  const dataDir = mkdtempSync(join(tmpdir(), 'lockstep-snapshot-'))
  try {
    await using db = await openPglite({ dataDir, clock, random, schema: SCHEMA, useSnapshot: false })
    await migrate(db, { mode: 'auto', clock, random, appliedBy: 'snapshot' })
    await db.close()
    mkdirSync(snapshotFolder, { recursive: true })
    rmSync(snapshotManifest, { force: true })
    writeFileSync(`${snapshotArchive}.new`, gzipSync(packTar(join(dataDir, 'pgdata'))))
    renameSync(`${snapshotArchive}.new`, snapshotArchive)
    writeFileSync(snapshotManifest, JSON.stringify(manifest))
    return 'made'
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

console.log(`embedded snapshot: ${await makeSnapshot()}`)
