import { createHash, type Hash } from 'node:crypto'
import { createWriteStream, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { DataFolderUnreadable, lockFolder } from '@lockstep/postgres'
import type { Edge } from '../open-database.ts'
import { WouldOverwrite } from './errors.ts'
import { MANIFEST, type Manifest } from './manifest.ts'
import { ending, packed, type TarFile } from './tar-stream.ts'

export interface BackupOptions {
  readonly dataDir: string
  readonly file: string
  readonly force: boolean
  readonly version: string
}

export interface BackupReport {
  readonly file: string
  readonly files: number
  /** Before it was compressed. */
  readonly bytes: number
}

/**
 * Writes the files of an embedded store into one archive. The folder is locked meanwhile: no node can change them, and one that runs
 * keeps the backup from beginning. The archive appears under its name when it is complete.
 */
export async function backupFolder(options: BackupOptions, edge: Edge): Promise<BackupReport> {
  const { dataDir, file, force, version } = options
  const data = path.join(dataDir, 'pgdata')
  if (!existsSync(data)) throw new DataFolderUnreadable({ folder: dataDir, message: 'there is no store in it' })
  const isThere = existsSync(file)
  if (isThere && statSync(file).isDirectory())
    throw new WouldOverwrite({ path: file, advice: 'it is a folder, name a file' })
  if (isThere && !force) throw new WouldOverwrite({ path: file, advice: 'name another file, or say --force' })
  const lock = await lockFolder(dataDir, edge.clock, edge.random)
  const draft = `${file}.part`
  try {
    const { folders, files } = contentsOf(data)
    const hashes = new Map<string, Hash>(files.map(({ path: name }) => [name, createHash('sha256')]))
    const manifest = (): Manifest => ({
      format: 1,
      version,
      madeAt: new Date(edge.clock.now()).toISOString(),
      folders,
      files: files.map(({ path: name, size }) => ({ path: name, size, sha256: hashes.get(name)!.digest('hex') })),
    })
    const archive = async function* (): AsyncGenerator<Buffer> {
      yield* packed(files, (name, chunk) => hashes.get(name)!.update(chunk))
      const content = Buffer.from(JSON.stringify(manifest(), null, 1))
      yield* packed([{ path: MANIFEST, size: content.length, content }], () => undefined)
      yield ending()
    }
    await pipeline(
      Readable.from(archive()),
      createGzip({ level: 1 }),
      createWriteStream(draft, { mode: 0o600, flush: true }),
    )
    renameSync(draft, file)
    return { file, files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) }
  } finally {
    rmSync(draft, { force: true })
    lock.release()
  }
}

/** Folders are listed too: an empty one is part of the database. */
function contentsOf(data: string): { readonly folders: readonly string[]; readonly files: readonly TarFile[] } {
  const folders: string[] = []
  const files: TarFile[] = []
  for (const name of readdirSync(data, { recursive: true, encoding: 'utf8' }).sort()) {
    const content = path.join(data, name)
    const found = statSync(content)
    const shown = `pgdata/${name.split(path.sep).join('/')}`
    if (found.isDirectory()) folders.push(shown)
    else files.push({ path: shown, size: found.size, content })
  }
  return { folders, files }
}
