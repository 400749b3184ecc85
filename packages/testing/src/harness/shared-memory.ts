import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Frees the System V segment by which PostgreSQL guards its data folder. A postmaster that was killed leaves it in the
 * kernel, where it would stay until the next boot once the folder is gone. Only a segment that exactly this postmaster
 * made and nobody is attached to is freed.
 */
export function freeSharedMemory(dataFolder: string): void {
  try {
    const lockFile = readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n')
    // The server that initdb runs alone writes its pid as a negative number.
    const postmaster = lockFile[0]?.trim().replace('-', '')
    const segment = lockFile[6]?.trim().split(/\s+/)[1]
    const segments = readFileSync('/proc/sysvipc/shm', 'utf8').split('\n')
    const row = segments.map((line) => line.trim().split(/\s+/)).find((fields) => fields[1] === segment)
    if (segment === undefined || row?.[4] !== postmaster || row?.[6] !== '0') return
    execFileSync('ipcrm', ['-m', segment], { stdio: 'ignore' })
  } catch {
    // No lock file: PostgreSQL ended in order and freed it. No /proc: nothing safe to do.
  }
}
