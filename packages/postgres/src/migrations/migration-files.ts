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
  /**
   * Number of the newest migration that a node must know in order to run on a schema with this one, as its header
   * says: `-- compatible-from: 0016`. Absent: only nodes that know this one.
   */
  readonly compatibleFrom?: number
}

/** The same folder from `src`, from `dist` and inside a packed package. */
const folder = new URL('../../migrations/', import.meta.url)
const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/
const declared = /^-- compatible-from: (\d{4})$/m

/** All migrations this version knows, in order. */
export async function readMigrations(): Promise<readonly Migration[]> {
  const files = (await readdir(folder)).filter((file) => fileName.test(file)).sort()
  return Promise.all(files.map(readMigration))
}

async function readMigration(file: string): Promise<Migration> {
  const sql = (await readFile(new URL(file, folder), 'utf8')).replaceAll('\r\n', '\n')
  const name = file.replace(/\.sql$/, '')
  const checksum = createHash('sha256').update(sql).digest('hex')
  return { number: Number(name.slice(0, 4)), name, sql, checksum, ...compatibility(sql) }
}

/** What the header of a migration declares; see `Migration.compatibleFrom`. */
export function compatibility(sql: string): { readonly compatibleFrom?: number } {
  const found = declared.exec(sql)?.[1]
  return found === undefined ? {} : { compatibleFrom: Number(found) }
}
