import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { errorMessage } from '@lockstep/base'
import { HttpFailed, OutboundBlocked } from '../errors.ts'
import { type AddressKind, addressKind } from './address-kind.ts'
import type { AllowList } from './allow-list.ts'

export interface HostAddress {
  readonly address: string
  readonly family: number
}

export type ResolveHost = (host: string) => Promise<readonly HostAddress[]>

export const resolveBySystem: ResolveHost = (host) => lookup(host, { all: true, verbatim: true })

const WHY: Readonly<Record<Exclude<AddressKind, 'global'>, string>> = {
  loopback: 'it is this machine itself',
  private: 'it is in a private network',
  'link-local': 'it is a link-local address, where machines keep their credentials',
  reserved: 'its address is not one of the public network',
}

/**
 * The addresses that a connection may be made to. Every address of a name must be allowed: one that is not would be reached by asking
 * often enough. The caller connects to these and does not resolve again.
 */
export async function allowedAddresses(
  url: URL,
  resolve: ResolveHost,
  allow: AllowList,
): Promise<readonly HostAddress[]> {
  const host = url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
  const family = isIP(host)
  const found = family === 0 ? await resolved(url, host, resolve) : [{ address: host, family }]
  for (const { address } of found) {
    const kind = addressKind(address)
    if (kind !== 'global' && !allow.allows(host, address, kind)) throw new OutboundBlocked({ host, why: WHY[kind] })
  }
  return found
}

async function resolved(url: URL, host: string, resolve: ResolveHost): Promise<readonly HostAddress[]> {
  let found: readonly HostAddress[]
  try {
    found = await resolve(host)
  } catch (cause) {
    throw new HttpFailed({ url: url.origin, reason: `the name cannot be resolved (${errorMessage(cause)})` }, { cause })
  }
  const sound = found.filter(({ address }) => isIP(address) !== 0)
  if (sound.length === 0) throw new HttpFailed({ url: url.origin, reason: 'the name has no address' })
  return sound
}
