import { toWireId } from '@lockstep/base'
import type { Engine } from '@lockstep/engine'
import type { AuditNote } from '../audit/audited.ts'
import { networkOf } from '../hardening/network-of.ts'
import type { Access } from './access.ts'
import { hashOf } from './api-key.ts'
import { RateLimited } from './errors.ts'

export interface TokenRequest {
  readonly token: string
  readonly address: string
  readonly tenant: string
  readonly note: AuditNote
}

/**
 * A token is its own credential, of whichever tenant it was made in. Tokens that open nothing are counted per address, before the store is
 * asked; `use` answers `undefined` for them. The audit log learns whose a token is and what it was made for, also when it opens nothing any more.
 */
export async function withToken<T>(
  { access: { kept }, engine }: { readonly access: Access; readonly engine: Engine },
  { token, address, tenant, note }: TokenRequest,
  use: (tenant: string, wasUsed: boolean) => Promise<T | undefined>,
): Promise<T | undefined> {
  if (kept === undefined) return use(tenant, false)
  const waitMs = kept.tokenFailures.ask(networkOf(address), false)
  if (waitMs > 0) throw new RateLimited({ what: 'tokens that open nothing', retryAfterMs: waitMs })
  const owner = await kept.store.resumeTokens.tenantOf(hashOf(token))
  const traced = owner === undefined ? undefined : await engine.resumeTokens.trace(token, owner)
  if (owner !== undefined) note.tenant = owner
  if (traced !== undefined) note.target = toWireId('instance', traced.instanceId)
  const used = owner === undefined ? undefined : await use(owner, traced?.isUsed === true)
  if (used === undefined) kept.tokenFailures.ask(networkOf(address))
  return used
}
