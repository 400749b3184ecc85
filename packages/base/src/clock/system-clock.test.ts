import { describe, expect, it, vi } from 'vitest'
import { systemClock } from '../index.ts'

describe('the clock of the machine', () => {
  it('hands no fraction of a millisecond to timers that would cut it off', () => {
    const armed = vi.spyOn(globalThis, 'setTimeout')
    try {
      for (const delayMs of [0, 0.2, 2.999, 3, -1]) systemClock.schedule(delayMs, () => undefined).cancel()
      expect(armed.mock.calls.map(([, ms]) => ms)).toEqual([0, 1, 3, 3, 0])
    } finally {
      armed.mockRestore()
    }
  })

  it('is not early for a timer that is', async () => {
    // What Node's timers may do by up to a millisecond: they count from a moment that they have cut off too.
    const real = globalThis.setTimeout
    const armed = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void) => real(run, 0)) as never)
    try {
      const due = systemClock.monotonic() + 20
      await new Promise<void>((resolve) => systemClock.schedule(20, resolve, { keepAlive: true }))
      expect(systemClock.monotonic() >= due).toBe(true)
    } finally {
      armed.mockRestore()
    }
  })
})
