import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { withInstallLock } from './install-lock.ts'
import { type Progress, stopwatch } from './progress.ts'
import { withoutServiceStarts } from './service-guard.ts'

/** Gets packages onto this machine. Tests pass their own. */
export interface Installer {
  /** Why it cannot install anything here, or `undefined` when it can. */
  unable(): string | undefined
  /** `present` is asked again once it is this process's turn: another one may have installed the same meanwhile. */
  install(packages: readonly string[], present: () => boolean, progress: Progress): Promise<void>
}

export interface AptOptions {
  readonly aptGet?: string
  /** Asked by maintainers' scripts before they start a service. */
  readonly policyFile?: string
  readonly lockFile?: string
  readonly uid?: number
}

const REPORT_EVERY_MS = 10_000

export function aptInstaller(options: AptOptions = {}): Installer {
  const {
    aptGet = '/usr/bin/apt-get',
    policyFile = '/usr/sbin/policy-rc.d',
    lockFile = join(tmpdir(), 'lockstep-install.lock'),
    uid = process.getuid?.(),
  } = options
  let updated = false

  return {
    unable() {
      if (!existsSync(aptGet)) return 'this is not a Debian system with apt-get, so it cannot be installed for you'
      if (uid !== 0) return 'you are not root, so it cannot be installed for you'
      return undefined
    },
    async install(packages, present, progress) {
      const onWait = (pid: number): void => progress(`waiting for process ${pid}, which is installing packages`)
      await withInstallLock(lockFile, onWait, async () => {
        if (present()) return
        if (!updated) await apt(aptGet, ['update'], progress)
        updated = true
        const install = ['install', '-y', '--no-install-recommends', ...packages]
        await withoutServiceStarts(policyFile, () => apt(aptGet, install, progress))
      })
    },
  }
}

function apt(aptGet: string, args: readonly string[], progress: Progress): Promise<void> {
  const what = `apt-get ${args.join(' ')}`
  const took = stopwatch()
  const lines: string[] = []
  progress(what)
  return new Promise((resolve, reject) => {
    // Another apt-get on the machine holds its lock for a while at most.
    const child = spawn(aptGet, ['-o', 'DPkg::Lock::Timeout=300', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ticking = setInterval(() => progress(`${what}: ${took()} so far, ${lines.at(-1) ?? ''}`), REPORT_EVERY_MS)
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on('line', (line) => lines.push(line))
    }
    child.once('error', (error) => {
      clearInterval(ticking)
      reject(error)
    })
    child.once('close', (code) => {
      clearInterval(ticking)
      if (code !== 0) return reject(new Error([`${what} ended with ${code}`, ...lines.slice(-10)].join('\n')))
      progress(`${what} took ${took()}`)
      resolve()
    })
  })
}
