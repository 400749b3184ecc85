import { expect, it } from 'vitest'
import type { ScheduleRun } from '../../api/wire.ts'
import { DAYS, dayText, heatOf, levelOf } from './run-heat.ts'

const NOW = Date.parse('2026-03-31T15:00:00Z')
const run = (day: string, more: Partial<ScheduleRun> = {}): ScheduleRun =>
  ({ state: 'started', status: 'completed', count: 1, nominalAt: `${day}T03:00:00Z`, firedAt: null, ...more }) as never

it('counts runs, failures and what was skipped by days', () => {
  const runs = [
    run('2026-03-31'),
    run('2026-03-30', { status: 'faulted' }),
    run('2026-03-30', { state: 'skipped', status: null, count: 3 }),
    run('2025-01-01'),
  ]
  const days = heatOf(runs, true, NOW)
  expect(days).toHaveLength(DAYS)
  expect(dayText(days.at(-1)!)).toBe('2026-03-31: 1 run')
  expect(dayText(days.at(-2)!)).toBe('2026-03-30: 1 run, 1 failed, 3 skipped')
  expect(dayText(days.at(-3)!)).toBe('2026-03-29: 0 runs')
})

it('does not call a day empty that was not read', () => {
  const days = heatOf([run('2026-03-31'), run('2026-03-30')], false, NOW)
  expect(days.filter(({ isKnown }) => isKnown)).toHaveLength(2)
  expect(dayText(days.at(-3)!)).toBe('2026-03-29: not read')
})

it('has four levels above none', () => {
  expect([0, 1, 50, 51, 100].map((runs) => levelOf({ runs }, 100))).toEqual([0, 1, 2, 3, 4])
})
