import { expect, it } from 'vitest'
import { iso } from './iso.ts'

it('writes each time as it is, whatever was written before', () => {
  const times = [0, 1, 0, 1.5, 1, 1_700_000_000_000, 0, 1.5, 1_700_000_000_000]
  expect(times.map(iso)).toEqual(times.map((ms) => new Date(ms).toISOString()))
  expect(iso(undefined)).toBeNull()
})
