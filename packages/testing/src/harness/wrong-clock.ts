/**
 * Processes whose clock is wrong, by Debian's libfaketime: all of the process sees it, native code and worker threads too, and not only what
 * JavaScript asks for. Durations stay right, as they do on a machine whose clock was set wrongly.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator } from './find-binary.ts'
import { findProcess } from './process-table.ts'
import { progressTo } from './progress.ts'
import { requireBinary, type StartOptions } from './require-binary.ts'

export interface WrongClock {
  /** What a process needs in its environment to be this far ahead of everybody else; negative: behind. */
  environment(offsetMs: number): Readonly<Record<string, string>>
  /** Takes away what the library left in shared memory for processes that were killed. */
  sweep(): void
}

/** Names the file of the library where it is not to be looked for. */
const VARIABLE = 'LOCKSTEP_TEST_FAKETIME'
/** The one for programs with threads. */
const LIBRARY = 'libfaketimeMT.so.1'
const SHARED_MEMORY = '/dev/shm'
const LEFT_BEHIND = /^(?:sem\.faketime_sem|faketime_shm)_(\d+)$/

/** Installs the library first, where it is missing and that is possible. */
export async function wrongClock(options: StartOptions = {}): Promise<WrongClock> {
  const { env = process.env, quiet = false, locate = locateLibrary } = options
  const wanted = { server: 'libfaketime', binary: LIBRARY, packages: ['libfaketime'], variable: VARIABLE }
  const library = env[VARIABLE] ?? (await requireBinary(wanted, { ...options, locate }, progressTo(quiet)))
  return {
    environment: (offsetMs) => ({
      LD_PRELOAD: library,
      FAKETIME: `${offsetMs < 0 ? '-' : '+'}${Math.abs(offsetMs) / 1_000}s`,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      // Files keep the times that everybody else sees.
      NO_FAKE_STAT: '1',
    }),
    sweep: () => {
      for (const name of listed(SHARED_MEMORY)) {
        const pid = LEFT_BEHIND.exec(name)?.[1]
        if (pid !== undefined && findProcess(Number(pid)) === undefined)
          rmSync(join(SHARED_MEMORY, name), { force: true })
      }
    },
  }
}

/** A folder of each architecture, which a machine has one of. */
const locateLibrary: Locator = (library) =>
  ['/usr/lib/faketime', ...listed('/usr/lib').map((each) => `/usr/lib/${each}/faketime`)]
    .map((folder) => join(folder, library))
    .find((file) => existsSync(file))

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
