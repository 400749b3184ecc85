import type { Access } from './access.ts'
import { hashOf } from './api-key.ts'
import { RateLimited } from './errors.ts'

/**
 * A token is its own credential, of whichever tenant it was made in. Tokens that open nothing are counted per address, before the store is
 * asked; `use` answers `undefined` for them.
 */
export async function withToken<T>(
  { kept }: Access,
  { token, address, tenant }: { readonly token: string; readonly address: string; readonly tenant: string },
  use: (tenant: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  if (kept === undefined) return use(tenant)
  const waitMs = kept.tokenFailures.ask(address, false)
  if (waitMs > 0) throw new RateLimited({ what: 'tokens that open nothing', retryAfterMs: waitMs })
  const owner = await kept.store.resumeTokens.tenantOf(hashOf(token))
  const used = owner === undefined ? undefined : await use(owner)
  if (used === undefined) kept.tokenFailures.ask(address)
  return used
}
