import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

/** One step of the schema, as it stands in `migrations/`. */
export interface Migration {
  readonly number: number
  /** `0001_base` */
  readonly name: string
  readonly sql: string
  /** SHA-256 of the text with plain line ends, so that a checkout on Windows agrees. */
  readonly checksum: string
}

/** The same folder from `src`, from `dist` and inside a packed package. */
const folder = new URL('../../migrations/', import.meta.url)
const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/

/** All migrations this version knows, in order. */
export async function readMigrations(): Promise<readonly Migration[]> {
  const files = (await readdir(folder)).filter((file) => fileName.test(file)).sort()
  return Promise.all(files.map(readMigration))
}

async function readMigration(file: string): Promise<Migration> {
  const sql = (await readFile(new URL(file, folder), 'utf8')).replaceAll('\r\n', '\n')
  const name = file.replace(/\.sql$/, '')
  return { number: Number(name.slice(0, 4)), name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
}
