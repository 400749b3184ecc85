import { isLoopback, UnsafeStart } from '@lockstep/server'
import type { AccessSettings } from './access-options.ts'

const SECRET_FIX =
  'Set LOCKSTEP_SECRET (or LOCKSTEP_SECRET_FILE) to 32 or more random bytes, the same on every node: openssl rand -base64 48'

/** Refuses options that would leave a server open, before anything listens. Every message has the fix in it. */
export function requireSafeStart({ host, access }: { readonly host: string; readonly access: AccessSettings }): void {
  const { auth, secret, publicUrl, requireHttps, oidc, trustProxy } = access
  const refuse = (why: string, fix: string): never => {
    throw new UnsafeStart({ why, fix })
  }
  const open = !isLoopback(host)
  if (open && auth === 'none')
    refuse(
      `With LOCKSTEP_AUTH=none everybody who reaches ${host} would be an admin`,
      'Set LOCKSTEP_AUTH=keys and LOCKSTEP_API_KEY, or LOCKSTEP_HOST=127.0.0.1',
    )
  if (auth === 'none' && publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname))
    refuse(
      `With LOCKSTEP_AUTH=none everybody who reaches ${publicUrl} (LOCKSTEP_PUBLIC_URL) would be an admin`,
      'Set LOCKSTEP_AUTH=keys and LOCKSTEP_API_KEY, or take LOCKSTEP_PUBLIC_URL away',
    )
  if (auth === 'none' && trustProxy.length > 0)
    refuse(
      'With LOCKSTEP_AUTH=none everybody who reaches the proxy in LOCKSTEP_TRUST_PROXY would be an admin',
      'Set LOCKSTEP_AUTH=keys and LOCKSTEP_API_KEY, or take LOCKSTEP_TRUST_PROXY away',
    )
  if (open && secret === undefined)
    refuse(`A server on ${host} needs a secret that is not kept beside its data`, SECRET_FIX)
  if (requireHttps && publicUrl?.startsWith('https:') !== true)
    refuse(
      'LOCKSTEP_REQUIRE_HTTPS is on, and LOCKSTEP_PUBLIC_URL does not begin with https',
      'Set LOCKSTEP_PUBLIC_URL to the https address that people use, or LOCKSTEP_REQUIRE_HTTPS=off',
    )
  if (oidc !== undefined && !oidc.issuer.startsWith('https:') && !isLoopback(new URL(oidc.issuer).hostname))
    refuse(
      `Keys of issuer ${oidc.issuer} would come over plain http, where anybody on the way can put in their own`,
      'Set LOCKSTEP_OIDC_ISSUER to its https address',
    )
}
