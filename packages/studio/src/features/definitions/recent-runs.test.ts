import { expect, it } from 'vitest'
import { runsText } from './recent-runs.ts'

it('counts runs, and says where there may have been more', () => {
  expect(runsText(0, true)).toBe('0 runs')
  expect(runsText(1, true)).toBe('1 run')
  expect(runsText(2, true)).toBe('2 runs')
  expect(runsText(1, false)).toBe('1+ runs')
  expect(runsText(0, false)).toBe('Earlier runs')
})
