import { networkOf } from '../hardening/network-of.ts'
import type { RateLimiter } from '../hardening/rate-limiter.ts'
import type { KeptAccess } from './access.ts'
import { RateLimited, SignInFailed } from './errors.ts'
import { grantedTo, type Principal } from './principal.ts'
import { newSessionToken, sessionHash } from './session-cookie.ts'

export interface SigningIn {
  readonly name: string
  readonly password: string
  readonly address: string
  /** The request's header. */
  readonly cookies: string | undefined
}

/**
 * Wrong name, wrong password, disabled: the same answer after the same work. Tries are counted for the address and for the name, before
 * anything is computed, so that neither one machine nor many can guess quickly; those of a device that is known for this name, for it alone.
 * A good one gives its own try back to nobody.
 */
export async function signIn(
  kept: KeptAccess,
  { name: given, password, address, cookies }: SigningIn,
): Promise<{ readonly principal: Principal; readonly cookies: string[] }> {
  const name = given.toLowerCase()
  const device = kept.devices.read(cookies, name)
  const { byDevice, byAddress, byName } = kept.signIns
  const counted: readonly (readonly [string, RateLimiter])[] =
    device === undefined
      ? [
          [networkOf(address), byAddress],
          [name, byName],
        ]
      : [[device, byDevice]]
  for (const [key, limiter] of counted) {
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
    cookies: [kept.cookie.write(token), kept.devices.write(name, device)],
  }
}
