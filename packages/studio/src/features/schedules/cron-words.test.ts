import { describe, expect, it } from 'vitest'
import { cronWords } from './cron-words.ts'

describe('cron in words', () => {
  it.each([
    ['* * * * *', 'Every minute'],
    ['*/5 * * * *', 'Every 5 minutes'],
    ['0 * * * *', 'Every hour, on the hour'],
    ['7 * * * *', 'Every hour at minute 7'],
    ['0 */2 * * *', 'Every 2 hours, on the hour'],
    ['30 */6 * * *', 'Every 6 hours at minute 30'],
    ['0 3 * * *', 'Every day at 03:00'],
    ['30 18 * * 1-5', 'Monday to Friday at 18:30'],
    ['0 9 * * mon,7', 'Every Monday, Sunday at 09:00'],
    ['15 0 1 * *', 'On day 1 of every month at 00:15'],
  ])('%s', (cron, words) => {
    expect(cronWords(cron)).toBe(words)
  })

  // Words that are not quite right are worse than none.
  it.each([
    '*/7 * * * *',
    '0 3 * 6 *',
    '0 3 1 * 1',
    '0 3 L * *',
    '0 3 * * 1#2',
    '*/10 * * * * *',
    '0 9-17 * * *',
    '0 */5 * * *',
  ])('has none for %s', (cron) => {
    expect(cronWords(cron)).toBeUndefined()
  })
})
