import { silentLogger, systemClock } from '@lockstep/base'
import { expect, it } from 'vitest'
import type { ExpiredBatch, MaintenanceStore } from '../store/maintenance-store.ts'
import { resolveRetention } from './retention-options.ts'
import { type SweepContext, sweep } from './sweep.ts'

/** A script of answers; whoever asks for more than that has not stopped in time. */
function context(answers: readonly ExpiredBatch[], removed: number, extra: Partial<SweepContext> = {}) {
  const asked = { expired: 0, remove: 0 }
  const maintenance = {
    expired: async () => answers[asked.expired++],
    remove: async () => {
      asked.remove += 1
      return { instances: removed, rows: removed * 5 }
    },
    trim: async () => ({ events: 0, flushes: 0, incidents: 0 }),
  } as unknown as MaintenanceStore
  const given: SweepContext = {
    store: { maintenance, instances: {} as SweepContext['store']['instances'] },
    clock: { ...systemClock, monotonic: () => 0, schedule: (_ms, run) => systemClock.schedule(0, run) },
    logger: silentLogger,
    nodeId: 'n',
    options: resolveRetention(),
    isPressed: () => false,
    signal: new AbortController().signal,
    ...extra,
  }
  return { asked, given }
}

const found = (waiting: number): ExpiredBatch => ({
  examined: 1,
  expired: [{ tenant: 't', instanceId: 'i', rows: 5 }],
  waiting,
})
const nothing: ExpiredBatch = { examined: 0, expired: [], waiting: 0 }

it('deletes nothing while commits wait, and goes on when they do not', async () => {
  const { asked, given } = context([found(9), found(9), found(0), nothing], 1)
  expect(await sweep(given)).toMatchObject({ ended: 'done', instances: 1 })
  expect(asked).toEqual({ expired: 4, remove: 1 })
})

it('deletes nothing while this node has more to do than it can', async () => {
  const pressed = [true, true, false]
  const { asked, given } = context([found(0), found(0), found(0), nothing], 1, {
    isPressed: () => pressed.shift() ?? false,
  })
  expect(await sweep(given)).toMatchObject({ instances: 1 })
  expect(asked.remove).toBe(1)
})

it('makes some headway in a store that is always busy', async () => {
  const { asked, given } = context([...Array.from({ length: 18 }, () => found(9)), nothing], 1)
  expect(await sweep(given)).toMatchObject({ ended: 'done', instances: 2 })
  expect(asked.remove).toBe(2)
})

it('gives up when what may go cannot be deleted', async () => {
  const { given } = context(
    Array.from({ length: 10 }, () => found(0)),
    0,
  )
  expect(await sweep(given)).toMatchObject({ ended: 'stuck', instances: 0 })
})
