import { describe, expect, it } from 'vitest'
import { fromLocal, offsetText, toLocal } from './moment-field.ts'

/** As in Berlin in 2030: the clocks go forward on 31 March at 01:00 UTC, back on 27 October at 01:00 UTC. */
const berlin = (ms: number): number => (ms >= Date.UTC(2030, 2, 31, 1) && ms < Date.UTC(2030, 9, 27, 1) ? 120 : 60)
const india = (): number => 330

describe('a moment in a field', () => {
  it.each([
    ['2030-01-31T09:00', berlin, '2030-01-31T09:00:00+01:00'],
    ['2030-07-01T09:00', berlin, '2030-07-01T09:00:00+02:00'],
    ['2030-03-31T01:59', berlin, '2030-03-31T01:59:00+01:00'],
    ['2030-03-31T03:00', berlin, '2030-03-31T03:00:00+02:00'],
    ['2030-01-31T09:00:30', india, '2030-01-31T09:00:30+05:30'],
    ['2030-01-31T09:00', () => 0, '2030-01-31T09:00:00Z'],
    ['2030-01-31T09:00', () => -210, '2030-01-31T09:00:00-03:30'],
  ])('%s is written with the offset that holds there and then', (local, offsetAt, written) => {
    expect(fromLocal(local, offsetAt)).toBe(written)
    expect(toLocal(written, offsetAt)).toBe(local)
  })

  it('is shown by the clock of the browser, whatever zone it was written in', () => {
    expect(toLocal('2030-01-31T09:00:00Z', berlin)).toBe('2030-01-31T10:00')
    expect(toLocal('2030-01-31T23:30:00-05:00', india)).toBe('2030-02-01T10:00')
  })

  it('is none where it has no zone, or is something else', () => {
    for (const value of ['2030-01-31T09:00', 'tomorrow', '2030-13-01T00:00:00Z', ''])
      expect([value, toLocal(value, berlin)]).toEqual([value, undefined])
    for (const local of ['', '2030-01-31', '2030-02-31T25:00']) expect(fromLocal(local, berlin)).toBeUndefined()
  })

  it('has an offset of two digits each', () => expect([-60, 0, 345].map(offsetText)).toEqual(['-01:00', 'Z', '+05:45']))
})
