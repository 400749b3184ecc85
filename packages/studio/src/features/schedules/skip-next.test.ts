import { describe, expect, it } from 'vitest'
import { cannotSkip, withoutTime } from './skip-next.ts'

describe('skipping the next time', () => {
  const at = '2026-03-01T03:00:00.000Z'

  it('begins just after it', () => {
    expect(withoutTime({ id: 'a', trigger: { cron: '0 3 * * *' } }, at)).toEqual({
      ...{ id: 'a', trigger: { cron: '0 3 * * *' } },
      startAt: '2026-03-01T03:00:00.001Z',
    })
  })

  it('keeps the phase of an interval', () => {
    expect(withoutTime({ trigger: { interval: '15m' } }, at).trigger).toEqual({
      interval: '15m',
      anchor: '1970-01-01T00:00:00.000Z',
    })
    const startAt = '2026-01-01T00:07:00Z'
    expect(withoutTime({ startAt, trigger: { interval: '15m' } }, at).trigger).toMatchObject({ anchor: startAt })
  })

  it('is not for what fires once, never again, or belongs to a workflow', () => {
    expect(cannotSkip({ trigger: { at } }, null, at)).toMatch(/only once/)
    expect(cannotSkip({ trigger: { cron: '* * * * *' } }, null, null)).toMatch(/no next/)
    expect(cannotSkip({ trigger: { cron: '* * * * *' } }, 'job', at)).toMatch(/brought it/)
    expect(cannotSkip({ trigger: { cron: '* * * * *' } }, null, at)).toBeUndefined()
  })
})
