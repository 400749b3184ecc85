import { expect, it } from 'vitest'
import { firstPace, nextPace, type Pace, shareAfter } from './pace.ts'

const limits = { mostRows: 2_000, share: 0.1 }

it('rests in proportion to what a batch took, so that batches have their share of the time and no more', () => {
  for (const tookMs of [2, 8, 40, 300]) {
    const { pauseMs } = nextPace({ rows: 1_000, pauseMs: 5 }, { tookMs, pressed: false }, limits)
    expect(tookMs / (tookMs + pauseMs)).toBeLessThanOrEqual(limits.share + 0.001)
  }
})

it('shrinks batches that take long, and lets short ones grow to the limit', () => {
  expect(nextPace({ rows: 1_000, pauseMs: 5 }, { tookMs: 80, pressed: false }, limits).rows).toBe(50)
  let pace: Pace = firstPace(limits)
  for (let n = 0; n < 50; n += 1) pace = nextPace(pace, { tookMs: 1, pressed: false }, limits)
  expect(pace.rows).toBe(2_000)
})

it('halves batches and doubles pauses while others wait, within bounds, and recovers', () => {
  let pace: Pace = { rows: 1_000, pauseMs: 50 }
  pace = nextPace(pace, { tookMs: 5, pressed: true }, limits)
  expect(pace).toEqual({ rows: 500, pauseMs: 100 })
  for (let n = 0; n < 20; n += 1) pace = nextPace(pace, { tookMs: 5, pressed: true }, limits)
  expect(pace).toEqual({ rows: 50, pauseMs: 5_000 })
  expect(nextPace(pace, { tookMs: 2, pressed: false }, limits)).toEqual({ rows: 62, pauseMs: 18 })
})

it('never takes more than it may, however little that is', () => {
  const one = { mostRows: 1, share: 1 }
  expect(firstPace(one).rows).toBe(1)
  expect(nextPace({ rows: 1, pauseMs: 5 }, { tookMs: 500, pressed: true }, one).rows).toBe(1)
})

it('takes a larger share when it has not kept up, and never less than it was given', () => {
  const hour = 3_600_000
  expect([0, 0.99, 1, 2.5, 3, 100].map((hours) => shareAfter(0.03, hours * hour, hour))).toEqual([
    0.03, 0.03, 0.06, 0.12, 0.24, 0.25,
  ])
  expect(shareAfter(0.5, 100 * hour, hour)).toBe(0.5)
})
