import { createHash } from 'node:crypto'

/** The channel of an address; null for nobody. */
export type LeaseChannel = (address: string | undefined) => string | null

const MOST_KEPT = 1_000

/**
 * Channels are shared by the whole database and cut at 63 bytes, addresses may be anything: a hash over schema,
 * namespace and address keeps two installations, and two namespaces, from hearing each other.
 */
export function leaseChannels(schema: string, namespace: string): LeaseChannel {
  const kept = new Map<string, string>()
  return (address) => {
    if (address === undefined) return null
    const known = kept.get(address)
    if (known !== undefined) return known
    const hash = createHash('sha256')
      .update(JSON.stringify([schema, namespace, address]))
      .digest('hex')
    if (kept.size >= MOST_KEPT) kept.clear()
    const channel = `lease_${hash.slice(0, 40)}`
    kept.set(address, channel)
    return channel
  }
}
