import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { errorCode } from '@lockstep/base'

/** Enough to tell whether a process of this machine still lives, even when its number was given to another. */
export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks since boot at which it began; absent where the system does not say. */
  readonly startTime?: string
  readonly host: string
}

export function thisProcess(): ProcessIdentity {
  const startTime = startTimeOf(process.pid)
  return { pid: process.pid, host: hostname(), ...(startTime === undefined ? {} : { startTime }) }
}

/** A process of another machine cannot be looked at, so it counts as alive. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (identity.host !== hostname()) return true
  if (!exists(identity.pid)) return false
  const startTime = startTimeOf(identity.pid)
  return identity.startTime === undefined || startTime === undefined || startTime === identity.startTime
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/** Field 22 of `/proc/<pid>/stat`. The name in field 2 may hold blanks and brackets, so count from the last bracket. */
function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A process that has ended and waits to be collected by its parent writes nothing any more.
    return fields[0] === 'Z' ? 'ended' : fields[19]
  } catch {
    return undefined
  }
}
