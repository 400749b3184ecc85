import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { readMigrations } from '../migrations/migration-files.ts'
import { packTar } from './tar.ts'

/**
 * Packed data folders to begin from, since PGlite needs seconds to make one from nothing: an empty one, and one with
 * all migrations applied. Beside `dist`, made when the package is built and shipped with it. Their names say what they
 * fit, so one left from before is never used by mistake; without any a first start is only slower.
 */
export const snapshotFolder = fileURLToPath(new URL('../../snapshot/', import.meta.url))
export const SNAPSHOT_SCHEMA = 'lockstep'

export interface SnapshotFiles {
  /** Fits every schema and every set of migrations. */
  readonly empty: string
  /** Fits the migrations of this version in the schema `lockstep`. */
  readonly migrated: string
}

export async function snapshotFiles(): Promise<SnapshotFiles> {
  const pglite = pgliteVersion()
  const migrations = createHash('sha256')
  for (const { checksum } of await readMigrations()) migrations.update(checksum)
  return {
    empty: join(snapshotFolder, `empty-${pglite}.tar.br`),
    migrated: join(snapshotFolder, `migrated-${pglite}-${migrations.digest('hex').slice(0, 12)}.tar.br`),
  }
}

/** The best archive to begin a new data folder from. */
export async function findSnapshot(schema: string): Promise<string | undefined> {
  const { empty, migrated } = await snapshotFiles()
  return [...(schema === SNAPSHOT_SCHEMA ? [migrated] : []), empty].find((file) => existsSync(file))
}

/** The wide window finds that the three databases in a folder are all but the same: a third of what gzip makes of it. */
export function packSnapshot(folder: string): Buffer {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 }
  return brotliCompressSync(packTar(folder), { params })
}

export function readSnapshot(file: string): Buffer {
  return brotliDecompressSync(readFileSync(file))
}

function pgliteVersion(): string {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const manifest = JSON.parse(readFileSync(join(entry, '../../package.json'), 'utf8')) as { version: string }
  return manifest.version
}
