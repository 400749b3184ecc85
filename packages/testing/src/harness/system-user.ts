import { execFileSync } from 'node:child_process'
import type { SystemUser } from './guardian-protocol.ts'

/** Whom to become for a server that refuses to run as root: `preferred` if there is one, else `nobody`. */
export function unprivilegedUser(preferred: string): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  return userNamed(preferred) ?? userNamed('nobody') ?? { uid: 65_534, gid: 65_534 }
}

function userNamed(name: string): SystemUser | undefined {
  try {
    const idOf = (flag: string): number => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }))
    return { uid: idOf('-u'), gid: idOf('-g') }
  } catch {
    return undefined
  }
}
