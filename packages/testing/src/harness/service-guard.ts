import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

const FORBIDDEN = 101
const MARK = 'Put here by the lockstep test harness while it installs packages'
const DENY_ALL = `#!/bin/sh\n# ${MARK}\nexit ${FORBIDDEN}\n`

/**
 * Keeps Debian packages from starting their services while `act` installs them: maintainers' scripts ask the policy
 * file first. What was there before comes back afterwards, also after a run that was killed in between.
 */
export async function withoutServiceStarts<T>(policyFile: string, act: () => Promise<T>): Promise<T> {
  const saved = `${policyFile}.before-lockstep`
  restore(policyFile, saved)
  const alreadyForbids = existsSync(policyFile) && spawnSync(policyFile, ['redis-server', 'start']).status === FORBIDDEN
  if (alreadyForbids) return act()

  if (existsSync(policyFile)) renameSync(policyFile, saved)
  writeFileSync(policyFile, DENY_ALL, { mode: 0o755 })
  try {
    return await act()
  } finally {
    restore(policyFile, saved)
  }
}

function restore(policyFile: string, saved: string): void {
  if (existsSync(policyFile) && readFileSync(policyFile, 'utf8').includes(MARK)) rmSync(policyFile)
  if (existsSync(saved)) renameSync(saved, policyFile)
}
