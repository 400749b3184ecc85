import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { readSnapshot } from './snapshot.ts'
import { unpackTar } from './tar.ts'

/**
 * Opens the files of PGlite below `folder`, creating them when there are none. They are prepared under another name
 * and renamed when complete, so that a process killed half way leaves nothing that could be taken for a database.
 * The caller holds the lock of the folder.
 */
export async function openFolder(folder: string, snapshot: string | undefined): Promise<PGlite> {
  const place = join(folder, 'pgdata')
  if (!existsSync(place)) await create(place, snapshot)
  return PGlite.create(place)
}

async function create(place: string, snapshot: string | undefined): Promise<void> {
  const draft = `${place}.new`
  rmSync(draft, { recursive: true, force: true })
  if (snapshot === undefined) await (await PGlite.create(draft)).close()
  else unpackTar(readSnapshot(snapshot), draft)
  renameSync(draft, place)
}
