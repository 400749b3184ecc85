import { InvalidOption } from '@lockstep/base'
import { HeldLease } from '../lease/held-lease.ts'
import type { Lease, Lock } from '../lease/lease.ts'
import { LeaseLock, type LockContext } from './lease-lock.ts'

/** Many readers or one writer. Phase-fair: neither side can starve the other. */
export interface ReadWriteLock {
  readonly name: string
  readonly read: Lock
  readonly write: Lock
  /** Turns a write lease into a read lease, in place and at once; readers that wait come in. Throws `LEASE_LOST`. */
  downgrade(lease: Lease): Promise<void>
  /** Turns the only read lease into a write lease, with a fence of its own. `false`: there are other readers, and it still reads. */
  tryUpgrade(lease: Lease): Promise<boolean>
}

export function readWriteLock(
  context: LockContext,
  name: string,
  { ttlMs }: { readonly ttlMs?: number } = {},
): ReadWriteLock {
  const { holding } = context.leases
  const read = new LeaseLock(context, { name, kind: 'read-write', share: { kind: 'read' }, ttlMs })
  const write = new LeaseLock(context, { name, kind: 'read-write', share: { kind: 'write' }, ttlMs })

  const own = (lease: Lease): HeldLease => {
    if (lease instanceof HeldLease && lease.keeper === holding && lease.name === name) return lease
    throw new InvalidOption({ option: 'lease', rule: `a lease of "${name}" that this coordinator holds` })
  }

  return {
    name,
    read,
    write,
    async downgrade(lease) {
      await holding.reshare(own(lease), { kind: 'read' })
    },
    tryUpgrade: async (lease) => holding.reshare(own(lease), { kind: 'write' }),
  }
}
