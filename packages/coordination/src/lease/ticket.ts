import { InvalidOption } from '@lockstep/base'
import { checkTtlMs } from './ask.ts'
import type { LeaseTicket } from './lease.ts'
import { checkLeaseName } from './lease-name.ts'
import type { LockKind, Share } from './lease-provider.ts'

const KINDS = ['mutex', 'read-write', 'semaphore']

/** A ticket came from another process, through somebody's queue: nothing about it is certain. */
export function checkTicket(ticket: LeaseTicket): LeaseTicket {
  const { name, token, fence, kind, ttlMs, share } = ticket
  checkLeaseName(name)
  checkTtlMs(ttlMs)
  const isWhole = typeof token === 'string' && token !== '' && /^\d{1,30}$/.test(fence) && KINDS.includes(kind)
  if (isWhole && (share === undefined || isShareOf(kind, share))) return ticket
  throw new InvalidOption({ option: 'ticket', rule: 'as `detach` made it' })
}

export function isShareOf(kind: LockKind, share: Share): boolean {
  switch (share?.kind) {
    case 'mutex':
      return kind === 'mutex'
    case 'read':
    case 'write':
      return kind === 'read-write'
    case 'permits':
      return kind === 'semaphore' && [share.weight, share.max].every((each) => Number.isSafeInteger(each) && each > 0)
    default:
      return false
  }
}
