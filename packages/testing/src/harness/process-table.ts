import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

export interface ProcessEntry {
  readonly pid: number
  readonly parentPid: number
  /** One letter as `ps` shows it: `T` is stopped by a signal, `Z` is dead and not yet reaped. */
  readonly state: string
  /** Opaque. Together with the pid it names one process for ever: pids are used again. */
  readonly startedAt: string
}

export function listProcesses(): ProcessEntry[] {
  return existsSync('/proc/self/stat') ? fromProc() : fromPs()
}

export function findProcess(pid: number): ProcessEntry | undefined {
  return listProcesses().find((entry) => entry.pid === pid && !isDead(entry))
}

export function isDead(entry: ProcessEntry): boolean {
  return entry.state === 'Z' || entry.state === 'X'
}

/** `undefined` where it cannot be told: no such process, not ours to look at, or no /proc on this system. */
export function workingFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

function fromProc(): ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readEntry(Number(name)) ?? [])
}

function readEntry(pid: number): ProcessEntry | undefined {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
  // The second field is the program's name in brackets and may itself hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state = '', parentPid = ''] = fields
  return { pid, parentPid: Number(parentPid), state, startedAt: fields[19] ?? '' }
}

function fromPs(): ProcessEntry[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid=,stat=,lstart='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [pid, parentPid, state, ...startedAt] = line.trim().split(/\s+/)
    if (pid === undefined || parentPid === undefined || state === undefined) return []
    return { pid: Number(pid), parentPid: Number(parentPid), state: state.slice(0, 1), startedAt: startedAt.join(' ') }
  })
}
