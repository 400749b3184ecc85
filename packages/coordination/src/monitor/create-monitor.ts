import { InvalidOption } from '@lockstep/base'
import type { LeaseKit } from '../lease/lease-kit.ts'
import { EventLog, type ToldEvent, timed } from './event-log.ts'
import { findStale } from './find-stale.ts'
import type { ListOptions, LockMonitor } from './lock-monitor.ts'
import type { Intervention, LockHolder, LockPageRequest } from './lock-registry-provider.ts'
import { LockStatistics, type StatisticsOptions } from './lock-statistics.ts'
import { historyEntry, holderView, lockView } from './lock-view.ts'
import type { MonitorEvent } from './monitor-event.ts'
import { readGraph } from './read-graph.ts'
import { scanLocks } from './scan-locks.ts'

export interface MonitorOptions extends StatisticsOptions {
  /** How many events of this process are kept. @default 1_000 */
  readonly eventLogSize?: number
}

/** Counts from the moment it is made. */
export function createMonitor(
  kit: Pick<LeaseKit, 'provider' | 'clock' | 'logger' | 'self' | 'events'>,
  options: MonitorOptions = {},
): LockMonitor {
  const { clock, logger, self } = kit
  const { registry } = kit.provider
  const statistics = new LockStatistics(options)
  const log = new EventLog(options.eventLogSize)
  const listeners = new Set<(event: MonitorEvent) => void>()

  const tell = (event: ToldEvent): void => {
    const at = clock.now()
    log.add(at, event)
    for (const listener of listeners) {
      try {
        listener(timed(at, event))
      } catch (error) {
        logger.error('monitor: a listener threw', { error })
      }
    }
  }
  kit.events.observe((event) => {
    tell(event)
    const slow = statistics.record(event, clock)
    if (slow === undefined) return
    logger.warn('monitor: locks are waited for too long', { ...slow })
    tell(slow)
  })

  const intervene = async (
    type: 'broken' | 'yield-requested',
    name: string,
    reason: string,
    act: (name: string, why: Intervention) => Promise<readonly LockHolder[]>,
  ) => {
    if (reason.trim() === '' || reason.length > 1_000)
      throw new InvalidOption({ option: 'reason', rule: 'a text of 1 to 1,000 characters: it is kept with the audit' })
    const hit = (await act(name, { reason, by: self.node })).map((each) => holderView(name, each))
    const holders = hit.map((each) => each.holder?.node ?? 'unknown')
    logger.warn(`monitor: ${type}`, { lock: name, reason, by: self.node, holders })
    tell({ type, name, reason, holders })
    return hit
  }

  return {
    list: async (page) => {
      const { locks, next } = await registry.list(pageOf(page))
      return { locks: locks.map(lockView), ...(next === undefined ? {} : { next }) }
    },
    read: async (name) => {
      const state = await registry.read(name)
      return state && lockView(state)
    },
    waiters: async ({ prefix = '', limit = 1_000 } = {}) => {
      const most = limitOf(limit)
      const { locks } = await scanLocks(registry, prefix)
      return locks.flatMap((lock) => lockView(lock).waiters).slice(0, most)
    },
    stale: ({ prefix = '' } = {}) => findStale(kit.provider, prefix),
    history: async (name, limit = 32) => (await registry.history(name, limitOf(limit))).map(historyEntry),
    graph: ({ prefix = '' } = {}) => readGraph(registry, prefix),
    break: (name, reason) => intervene('broken', name, reason, (...why) => registry.break(...why)),
    requestYield: (name, reason) =>
      intervene('yield-requested', name, reason, (...why) => registry.requestYield(...why)),
    stats: (pattern) => statistics.stats(pattern),
    events: (filter) => log.read(filter),
    onEvent: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function pageOf({ prefix = '', after, limit = 100 }: ListOptions = {}): LockPageRequest {
  return { prefix, limit: limitOf(limit), ...(after === undefined ? {} : { after }) }
}

function limitOf(limit: number): number {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= 1_000))
    throw new InvalidOption({ option: 'limit', rule: 'between 1 and 1,000', value: limit })
  return limit
}
