import { BlockList, isIP } from 'node:net'
import { InvalidOption } from '@lockstep/base'
import { type AddressKind, unmapped } from './address-kind.ts'

/** What an operator lets steps reach besides the public network. */
export interface AllowList {
  allows(host: string, address: string, kind: AddressKind): boolean
}

const HOST_NAME = /^(\*\.)?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/

export function parseAllowList(entries: readonly string[]): AllowList {
  const networks = new BlockList()
  const hosts = new Set<string>()
  const suffixes: string[] = []
  for (const entry of entries) {
    const text = entry.trim().toLowerCase()
    const [address = '', prefix, ...rest] = text.split('/')
    const family = isIP(address)
    if (family !== 0 && rest.length === 0) addNetwork(networks, entry, address, family, prefix)
    else if (HOST_NAME.test(text) && !/^[\d.]+$/.test(text)) {
      if (text.startsWith('*.')) suffixes.push(text.slice(1))
      else hosts.add(text)
    } else throw invalid(entry)
  }
  return {
    allows: (host, address, kind) => {
      const plain = unmapped(address)
      if (networks.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')) return true
      // A name says nothing of where it will lead tomorrow: the addresses that hold the keys of machines need a network of their own.
      if (kind !== 'private' && kind !== 'loopback') return false
      return hosts.has(host) || suffixes.some((suffix) => host.endsWith(suffix))
    },
  }
}

function addNetwork(list: BlockList, entry: string, address: string, family: number, prefix: string | undefined): void {
  const longest = family === 6 ? 128 : 32
  const bits = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  if (!(bits <= longest)) throw invalid(entry)
  list.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4')
}

function invalid(entry: string): Error {
  const rule = 'a list of networks and hosts such as 10.1.0.0/16, ::1, billing.internal or *.svc.local, without ports'
  return new InvalidOption({ option: 'outbound.allow', rule, value: entry })
}
