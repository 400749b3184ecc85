import { silentLogger, systemClock } from '@lockstep/base'
import { expect, it } from 'vitest'
import { lockGate } from './lock-gate.ts'

it('stands open while the lock store says nothing, and tells so once each time', async () => {
  const told: string[] = []
  const logger = { ...silentLogger, warn: (text: string) => void told.push(text) }
  let isAway = true
  const tryAcquire = async () => {
    if (isAway) throw new Error('away')
    return { ok: false }
  }
  const locks = () => ({ mutex: () => ({ tryAcquire }) }) as never
  // Asked every time, and patient: a busy machine is no store that is away.
  const gate = lockGate({ locks, logger, clock: systemClock, restMs: 0, patienceMs: 60_000 })
  const enter = () => Promise.all([1, 2, 3].map(() => gate.tryEnter('a')))
  expect([await enter(), await enter()].flat()).toEqual(Array(6).fill('open'))
  expect(told).toHaveLength(1)
  isAway = false
  expect(await enter()).toEqual(['busy', 'busy', 'busy'])
  isAway = true
  await enter()
  expect(told).toHaveLength(2)
})
