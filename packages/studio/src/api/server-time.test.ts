import { describe, expect, it } from 'vitest'
import { ServerTime } from './server-time.ts'

const SECOND = Date.UTC(2026, 10, 16, 3, 0, 0)
const header = (ms: number): string => new Date(ms).toUTCString()

describe('the server time', () => {
  it('is the clock of the browser when both agree', () => {
    const time = new ServerTime()
    time.learn(header(SECOND), SECOND + 200, SECOND + 230)
    expect(time.offsetMs).toBe(0)
  })

  it('corrects a browser that is five minutes wrong', () => {
    const time = new ServerTime()
    for (let at = 0; at < 5_000; at += 370)
      time.learn(header(SECOND + at), SECOND + at - 300_000, SECOND + at - 300_000 + 20)
    expect(Math.abs(time.offsetMs - 300_000)).toBeLessThan(500)
  })

  it('begins anew when a clock was set', () => {
    const time = new ServerTime()
    time.learn(header(SECOND), SECOND, SECOND + 10)
    time.learn(header(SECOND + 60_000), SECOND + 1_000, SECOND + 1_010)
    expect(Math.abs(time.offsetMs - 59_000)).toBeLessThan(1_500)
  })

  it('ignores answers without a date', () => {
    const time = new ServerTime()
    time.learn(null, 0, 1)
    time.learn('yesterday', 0, 1)
    expect(time.offsetMs).toBe(0)
  })
})
