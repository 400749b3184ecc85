import { networkOf } from '../hardening/network-of.ts'
import type { KeptAccess } from './access.ts'
import { RateLimited, SignInFailed } from './errors.ts'
import { grantedTo, type Principal } from './principal.ts'
import { newSessionToken, sessionHash } from './session-cookie.ts'

export interface SigningIn {
  readonly name: string
  readonly password: string
  readonly address: string
}

/**
 * Wrong name, wrong password, disabled: the same answer after the same work. Tries are counted for the address and for the name, before
 * anything is computed, so that neither one machine nor many can guess quickly. A good one gives its own try back to nobody.
 */
export async function signIn(
  kept: KeptAccess,
  { name: given, password, address }: SigningIn,
): Promise<{ readonly principal: Principal; readonly cookie: string }> {
  const name = given.toLowerCase()
  for (const [key, limiter] of [
    [networkOf(address), kept.signIns.byAddress],
    [name, kept.signIns.byName],
  ] as const) {
    const waitMs = limiter.ask(key)
    if (waitMs > 0) throw new RateLimited({ what: 'attempts to sign in', retryAfterMs: waitMs })
  }
  const user = await kept.store.users.find(name)
  const right = await kept.passwords.verify(password, user?.passwordHash)
  if (user === undefined || !right || user.disabled) throw new SignInFailed({})
  const token = newSessionToken(kept.random)
  await kept.store.sessions.open(sessionHash(token, kept.secret), name, kept.idleMs, kept.longestMs)
  const { tenant, role } = user
  return {
    principal: {
      ...{ kind: 'user', id: `user:${name}`, name, tenant, role: role as Principal['role'] },
      permissions: grantedTo(role, undefined),
    },
    cookie: kept.cookie.write(token),
  }
}
