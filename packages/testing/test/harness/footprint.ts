import { existsSync, readFileSync } from 'node:fs'
import type { ServerHandle } from '../../src/harness/index.ts'
import { findProcess, isDead, listProcesses, workingFolder } from '../../src/harness/process-table.ts'
import { waitUntil } from './wait-until.ts'

/** What a server occupies on this machine: its processes, its guardian's, and its folder. */
export interface Footprint {
  readonly folder: string
  readonly processes: readonly { readonly pid: number; readonly startedAt: string }[]
}

export function footprintOf(server: Pick<ServerHandle, 'pid' | 'folder'>): Footprint {
  const { folder = '', pid = 0 } = server
  const guardian = findProcess(pid)?.parentPid ?? 0
  const table = listProcesses()
  const family = new Set([guardian])
  // Parents are older than their children, but pids wrap round: look until nobody new turns up.
  for (let size = 0; size !== family.size; ) {
    size = family.size
    for (const entry of table) if (family.has(entry.parentPid)) family.add(entry.pid)
  }
  return { folder, processes: table.filter(({ pid: member }) => family.has(member)) }
}

export async function untilGone({ folder, processes }: Footprint): Promise<void> {
  await waitUntil(`${folder} and its ${processes.length} processes are gone`, () => {
    const known = new Set(processes.map(({ pid, startedAt }) => `${pid} ${startedAt}`))
    const left = listProcesses().filter((entry) => {
      const inFolder = workingFolder(entry.pid)?.startsWith(folder) ?? false
      return !isDead(entry) && (inFolder || known.has(`${entry.pid} ${entry.startedAt}`))
    })
    return left.length === 0 && !existsSync(folder)
  })
}

/** Shared memory segments that a process made and nobody freed. */
export function segmentsMadeBy(pid: number): string[] {
  const rows = readFileSync('/proc/sysvipc/shm', 'utf8').trim().split('\n').slice(1)
  return rows.filter((row) => row.trim().split(/\s+/)[4] === String(pid))
}
