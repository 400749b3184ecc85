import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { errorCode } from '@lockstep/base'
import { findProcess } from './process-table.ts'

/**
 * One installer at a time on this machine. The lock is a file that names its process by pid and start, so the lock of
 * a process that died is seen as such, even when its pid is in use again.
 */
export async function withInstallLock<T>(
  file: string,
  onWait: (pid: number) => void,
  act: () => Promise<T>,
): Promise<T> {
  const self = `${process.pid} ${findProcess(process.pid)?.startedAt}`
  let waited = false
  while (!tryTake(file, self)) {
    const holder = read(file)
    if (holder !== undefined && !isAlive(holder)) {
      breakLock(file, holder)
      continue
    }
    if (!waited && holder !== undefined) onWait(Number.parseInt(holder, 10))
    waited = true
    await delay(200)
  }
  try {
    return await act()
  } finally {
    rmSync(file, { force: true })
  }
}

/** A link appears with its content: nobody ever reads a lock that is half written. */
function tryTake(file: string, self: string): boolean {
  const draft = `${file}.${randomUUID()}`
  writeFileSync(draft, self)
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Moves the dead lock away first: of two that break it at once, the slower might else remove the lock of the faster. */
function breakLock(file: string, dead: string): void {
  const aside = `${file}.${randomUUID()}`
  try {
    renameSync(file, aside)
    if (read(aside) !== dead) linkSync(aside, file)
  } catch {
    // Another process broke it first, or took it meanwhile.
  } finally {
    rmSync(aside, { force: true })
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function isAlive(holder: string): boolean {
  const [pid, startedAt] = holder.split(' ')
  return findProcess(Number(pid))?.startedAt === startedAt
}
