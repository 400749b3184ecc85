import type { LeaseKey, LeaseProvider } from '@lockstep/coordination'
import type { Lane } from '../db/db.ts'
import { type InOrder, inOrder } from './in-order.ts'
import * as sql from './lease.sql.ts'
import { leaseAnswers, togetherAnswers } from './lease-answers.ts'
import type { LeaseChannel } from './lease-channel.ts'
import { leaseColumns } from './lease-columns.ts'
import type { LeaseListeners } from './lease-listeners.ts'
import { orRefuse } from './refuse.ts'

export interface LeaseParts {
  readonly lane: Lane
  readonly namespace: string
  readonly channelOf: LeaseChannel
  readonly listeners: LeaseListeners
}

/** Each call is one statement, which is its own transaction: nothing outlives it but rows. */
export function postgresLeases({ lane, namespace, channelOf, listeners }: LeaseParts): LeaseProvider {
  return {
    async acquire(requests) {
      const { items, restore } = inOrder(requests)
      const row = await orRefuse('acquire', () =>
        lane.one(sql.acquire, { namespace, columns: leaseColumns(items, channelOf) }),
      )
      return { at: row.at, answers: restore(leaseAnswers(row)) }
    },
    async acquireTogether(requests) {
      const { items, restore } = inOrder(requests)
      const row = await orRefuse('acquire together', () =>
        lane.one(sql.acquireTogether, { namespace, columns: leaseColumns(items, channelOf) }),
      )
      return { at: row.at, answers: restore(togetherAnswers(row)) }
    },
    async renew(leases) {
      const sorted = inOrder(leases)
      const ttls = sorted.items.map((lease) => lease.ttlMs)
      const { at, renewed } = await orRefuse('renew', () =>
        lane.one(sql.renew, { ...keyColumns(namespace, sorted), ttls }),
      )
      return { at, answers: sorted.restore(renewed.map((is) => (is ? 'renewed' : 'lost'))) }
    },
    async release(leases) {
      const sorted = inOrder(leases)
      const { at, released } = await orRefuse('release', () => lane.one(sql.release, keyColumns(namespace, sorted)))
      return { at, answers: sorted.restore(released.map((is) => (is ? 'released' : 'gone'))) }
    },
    listen: (address, listener) => listeners.listen(address, listener),
  }
}

function keyColumns(namespace: string, { items }: InOrder<LeaseKey>): sql.KeyColumns {
  return {
    namespace,
    names: items.map((lease) => lease.name),
    tokens: items.map((lease) => lease.token),
    mutex: items.map((lease) => lease.kind === 'mutex'),
  }
}
