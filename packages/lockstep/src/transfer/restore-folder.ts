import { createHash, type Hash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { errorMessage } from '@lockstep/base'
import { lockFolder } from '@lockstep/postgres'
import type { Edge } from '../open-database.ts'
import { BackupDamaged, WouldOverwrite } from './errors.ts'
import { MANIFEST, type Manifest, readManifest } from './manifest.ts'
import { unpacked } from './tar-stream.ts'

export interface RestoreOptions {
  readonly file: string
  readonly dataDir: string
  /** What is there is moved aside, not deleted. */
  readonly force: boolean
  /** Looks whether the unpacked store opens. What it throws ends the restore. */
  readonly check: (dataDir: string) => Promise<void>
}

export interface RestoreReport {
  readonly files: number
  readonly madeAt: string
  readonly version: string
  /** Where what was there before is now. */
  readonly before: string | undefined
}

/** Brings a backup back. It is unpacked beside the folder and compared with its manifest first: the folder is only touched when all is well. */
export async function restoreFolder(options: RestoreOptions, edge: Edge): Promise<RestoreReport> {
  const { file, dataDir, force, check } = options
  if (existsSync(dataDir) && !statSync(dataDir).isDirectory())
    throw new WouldOverwrite({ path: dataDir, advice: 'it is a file, name a folder with --data-dir' })
  const occupied = existsSync(dataDir) && readdirSync(dataDir).length > 0
  if (occupied && !force)
    throw new WouldOverwrite({ path: dataDir, advice: 'name another folder, or say --force to move it aside' })
  const draft = `${dataDir}.restoring`
  rmSync(draft, { recursive: true, force: true })
  try {
    const manifest = await unpack(file, draft)
    await check(draft)
    const before = occupied ? await moveAside(dataDir, edge) : undefined
    rmSync(dataDir, { recursive: true, force: true })
    renameSync(draft, dataDir)
    return { files: manifest.files.length, madeAt: manifest.madeAt, version: manifest.version, before }
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Refused while a node has it open. */
async function moveAside(dataDir: string, { clock, random }: Edge): Promise<string> {
  const lock = await lockFolder(dataDir, clock, random)
  lock.release()
  const free = (at: number): string => {
    const name = `${dataDir}.before-restore${at === 1 ? '' : `-${at}`}`
    return existsSync(name) ? free(at + 1) : name
  }
  const before = free(1)
  renameSync(dataDir, before)
  return before
}

async function unpack(file: string, draft: string): Promise<Manifest> {
  const damaged = (reason: string) => new BackupDamaged({ file, reason })
  const found = new Map<string, { readonly size: number; readonly hash: Hash }>()
  const manifestText: Buffer[] = []
  let now: { readonly name: string; readonly hash: Hash; readonly handle: number | undefined } | undefined
  const reader = {
    begin: (name: string, size: number) => {
      const hash = createHash('sha256')
      if (name === MANIFEST) now = { name, hash, handle: undefined }
      else {
        if (!/^pgdata\/[\w./-]+$/.test(name) || name.split('/').includes('..'))
          throw damaged(`"${name}" is no file of a store`)
        const target = path.join(draft, name)
        mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 })
        now = { name, hash, handle: openSync(target, 'w', 0o600) }
        found.set(name, { size, hash })
      }
    },
    content: (chunk: Buffer) => {
      if (now?.handle === undefined) return void manifestText.push(Buffer.from(chunk))
      now.hash.update(chunk)
      writeSync(now.handle, chunk)
    },
    end: () => {
      if (now?.handle !== undefined) closeSync(now.handle)
    },
  }
  const read = async (stream: AsyncIterable<Buffer>): Promise<boolean> => unpacked(stream, reader)
  const complete = await pipeline(createReadStream(file), createGunzip(), read).catch((error: unknown) => {
    throw BackupDamaged.is(error) ? error : damaged(errorMessage(error))
  })
  const manifest = complete ? readManifest(Buffer.concat(manifestText).toString('utf8')) : undefined
  if (manifest === undefined) throw damaged('it is not complete, or no backup of Lockstep')
  for (const { path: name, size, sha256 } of manifest.files) {
    const file = found.get(name)
    if (file === undefined) throw damaged(`${name} is missing`)
    if (file.size !== size || file.hash.digest('hex') !== sha256) throw damaged(`${name} is not as it was written`)
  }
  if (found.size !== manifest.files.length) throw damaged('it holds files that its list does not name')
  for (const folder of manifest.folders) mkdirSync(path.join(draft, folder), { recursive: true, mode: 0o700 })
  return manifest
}
