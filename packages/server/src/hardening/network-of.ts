import { isIP } from 'node:net'

const GROUPS = 8

/**
 * What strangers are counted by. Whoever has one address of IPv6 has the whole network that it is of, more addresses than anybody can count:
 * those are one caller. An address of IPv4 is itself, also where it is written as one of IPv6.
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || isIP(address) !== 6) return address
  const groups = groupsOf(new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1))
  const isMapped = groups[5] === 'ffff' && groups.slice(0, 5).every((group) => group === '0')
  return isMapped ? address : `${groups.slice(0, 4).join(':')}::/64`
}

/** With the zeros that `::` stands for. */
function groupsOf(canonical: string): readonly string[] {
  const [left = [], right = []] = canonical.split('::').map((half) => (half === '' ? [] : half.split(':')))
  return [...left, ...Array<string>(GROUPS - left.length - right.length).fill('0'), ...right]
}
