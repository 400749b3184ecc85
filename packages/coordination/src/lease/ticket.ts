import { InvalidOption } from '@lockstep/base'
import { checkTtlMs } from './ask.ts'
import type { LeaseTicket } from './lease.ts'
import { checkLeaseName } from './lease-name.ts'

const KINDS = ['mutex', 'read-write', 'semaphore']

/** A ticket came from another process, through somebody's queue: nothing about it is certain. */
export function checkTicket(ticket: LeaseTicket): LeaseTicket {
  const { name, token, fence, kind, ttlMs } = ticket
  checkLeaseName(name)
  checkTtlMs(ttlMs)
  if (typeof token === 'string' && token !== '' && /^\d{1,30}$/.test(fence) && KINDS.includes(kind)) return ticket
  throw new InvalidOption({ option: 'ticket', rule: 'as `detach` made it' })
}
