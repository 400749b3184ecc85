/**
 * What kind of place an IP address is. Only global unicast addresses are for everybody; all others lead into networks that the
 * author of a workflow should not reach by writing down an address, and some lead to the keys of a cloud account.
 */
import { BlockList, isIP } from 'node:net'

export type AddressKind = 'global' | 'loopback' | 'private' | 'link-local' | 'reserved'

const listOf = (...networks: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix = ''] = network.split('/')
    list.addSubnet(address, Number(prefix), isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}

const loopback = listOf('127.0.0.0/8', '::1/128')
const linkLocal = listOf('169.254.0.0/16', 'fe80::/10')
/** Private use, carrier-grade translation, unique local. */
const ofOthers = listOf('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7', 'fec0::/10')
const reserved4 = listOf(
  '0.0.0.0/8',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
)
const global6 = listOf('2000::/3')
/** Inside of it, but not places: Teredo, ORCHID, benchmarks, documentation, and 6to4, which hides an IPv4 address. */
const special6 = listOf('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20')

export function addressKind(address: string): AddressKind {
  const plain = unmapped(address)
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4'
  if (loopback.check(plain, family)) return 'loopback'
  if (linkLocal.check(plain, family)) return 'link-local'
  if (ofOthers.check(plain, family)) return 'private'
  if (family === 'ipv4') return reserved4.check(plain, family) ? 'reserved' : 'global'
  return global6.check(plain, family) && !special6.check(plain, family) ? 'global' : 'reserved'
}

/** Without zone and brackets; `::ffff:10.0.0.1`, in whatever spelling, is `10.0.0.1`. */
export function unmapped(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  if (isIP(bare) !== 6) return bare
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical)
  if (mapped === null) return canonical
  const [high, low] = [Number.parseInt(mapped[1]!, 16), Number.parseInt(mapped[2]!, 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
