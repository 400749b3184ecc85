import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Migration, readMigrations } from '../migrations/migration-files.ts'

/** What a snapshot was made from. It serves only code that would have made the same one, or would go on from it. */
export interface SnapshotManifest {
  readonly pglite: string
  readonly schema: string
  readonly migrations: readonly string[]
}

/** Beside `dist`, made when the package is built and shipped with it; a first start without one is only slower. */
const folder = fileURLToPath(new URL('../../snapshot/', import.meta.url))
export const snapshotFolder = folder
export const snapshotArchive = join(folder, 'pgdata.tar.gz')
export const snapshotManifest = join(folder, 'manifest.json')

/** The archive to begin a new data folder from, if there is a fitting one. */
export async function findSnapshot(schema: string): Promise<string | undefined> {
  const made = readManifest()
  if (made === undefined || made.schema !== schema || made.pglite !== pgliteVersion()) return undefined
  const known = checksums(await readMigrations())
  return made.migrations.every((checksum, index) => known[index] === checksum) ? snapshotArchive : undefined
}

export function readManifest(): SnapshotManifest | undefined {
  if (!existsSync(snapshotManifest) || !existsSync(snapshotArchive)) return undefined
  return JSON.parse(readFileSync(snapshotManifest, 'utf8')) as SnapshotManifest
}

export async function currentManifest(schema: string): Promise<SnapshotManifest> {
  return { pglite: pgliteVersion(), schema, migrations: checksums(await readMigrations()) }
}

function checksums(migrations: readonly Migration[]): readonly string[] {
  return migrations.map((migration) => migration.checksum)
}

function pgliteVersion(): string {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const manifest = JSON.parse(readFileSync(join(entry, '../../package.json'), 'utf8')) as { version: string }
  return manifest.version
}
