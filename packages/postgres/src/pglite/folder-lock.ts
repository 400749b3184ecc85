// One process per data folder. PGlite itself lets two open the same files, and then one of them loses its rows.
//
// Every starter puts a file of its own name into `<folder>/lock/` and then looks who else is there. Whoever writes
// second sees the first, so two can never both believe to be alone. Files of processes that have ended belong to
// nobody and may be deleted by anybody at any time: there is no shared file to take over, hence no race in taking
// it over. Two that start at the same moment settle it by name: the later name withdraws, the earlier waits for
// that. A holder marks itself with a second file, so that others know it will not withdraw. No expiry: a process
// that is stopped for an hour still owns its files.

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, errorCode, errorMessage, type Random, sleep } from '@lockstep/base'
import { DataFolderInUse, DataFolderUnreadable } from '../db/errors.ts'
import { isAlive, type ProcessIdentity, thisProcess } from './process-identity.ts'

interface Claim extends ProcessIdentity {
  readonly at: string
}

interface Rival extends Claim {
  readonly name: string
  readonly isHolder: boolean
}

const CLAIM = '.claim.json'
const HELD = '.held'
const LOOK_AGAIN_MS = 10
/** A rival that neither takes the folder nor withdraws was stopped in between: it counts as the owner. */
const LONGEST_SETTLING_MS = 5_000

export interface FolderLock {
  /** Frees the folder. Freeing it twice is no error. */
  release(): void
}

/** Throws `DATA_FOLDER_IN_USE` when another process, or another part of this one, has the folder open. */
export async function lockFolder(folder: string, clock: Clock, random: Random): Promise<FolderLock> {
  try {
    return await tryUntilSettled(folder, clock, random)
  } catch (error) {
    if (DataFolderInUse.is(error)) throw error
    throw new DataFolderUnreadable({ folder, message: errorMessage(error) }, { cause: error })
  }
}

async function tryUntilSettled(folder: string, clock: Clock, random: Random): Promise<FolderLock> {
  const place = join(folder, 'lock')
  // Nobody else's business: it will hold secrets.
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  mkdirSync(place, { recursive: true })
  for (;;) {
    const name = `${process.pid}-${Buffer.from(random.bytes(6)).toString('hex')}`
    const withdraw = (): void => removeClaim(place, name)
    writeClaim(place, name, { ...thisProcess(), at: new Date(clock.now()).toISOString() })
    try {
      if (await settle(folder, place, name, clock)) return held(place, name, withdraw)
    } catch (error) {
      withdraw()
      throw error
    }
    withdraw()
    await sleep(clock, LOOK_AGAIN_MS * (1 + random.next()))
  }
}

/** `true`: the folder is ours. `false`: somebody else began at the same moment and goes first. */
async function settle(folder: string, place: string, name: string, clock: Clock): Promise<boolean> {
  const deadline = clock.monotonic() + LONGEST_SETTLING_MS
  for (;;) {
    const rivals = findRivals(place, name)
    const inTheWay = rivals.find((rival) => rival.isHolder || clock.monotonic() > deadline)
    if (inTheWay !== undefined) {
      const { pid, host, at } = inTheWay
      throw new DataFolderInUse({ folder, pid, host, startedAt: at, lockFile: join(place, inTheWay.name + CLAIM) })
    }
    if (rivals.length === 0) return true
    if (rivals.some((rival) => rival.name < name)) return false
    await sleep(clock, LOOK_AGAIN_MS)
  }
}

/** Also frees what is still held when the process ends by itself. */
const heldHere = new Set<() => void>()

function releaseAll(): void {
  for (const release of heldHere) release()
}

function held(place: string, name: string, withdraw: () => void): FolderLock {
  writeFileSync(join(place, name + HELD), '')
  const release = (): void => {
    if (heldHere.delete(release)) withdraw()
  }
  process.off('exit', releaseAll).once('exit', releaseAll)
  heldHere.add(release)
  return { release }
}

/** Written under another name first: whoever sees a claim sees all of it. */
function writeClaim(place: string, name: string, claim: Claim): void {
  const draft = join(place, `${name}.draft`)
  writeFileSync(draft, JSON.stringify(claim))
  renameSync(draft, join(place, name + CLAIM))
}

function removeClaim(place: string, name: string): void {
  for (const suffix of [HELD, CLAIM]) rmSync(join(place, name + suffix), { force: true })
}

function findRivals(place: string, ownName: string): readonly Rival[] {
  const files = readdirSync(place)
  return files
    .filter((file) => file.endsWith(CLAIM))
    .flatMap((file) => {
      const name = file.slice(0, -CLAIM.length)
      const claim = name === ownName ? undefined : readClaim(join(place, file))
      if (claim === undefined) return []
      if (isAlive(claim)) return [{ ...claim, name, isHolder: existsSync(join(place, name + HELD)) }]
      removeClaim(place, name)
      return []
    })
}

/** `undefined` when it was withdrawn between the look and the read. */
function readClaim(file: string): Claim | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Claim
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
