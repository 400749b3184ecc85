import { describe, expect, it } from 'vitest'
import { documentOf, formOf } from './schedule-form.ts'

describe('the form of a schedule', () => {
  it('writes back what it does not show', () => {
    const document = {
      ...{ id: 'nightly', name: 'Nightly', definitionId: 'report', misfire: { catchUp: 5 }, overlap: 'queue' },
      ...{
        trigger: { cron: '0 3 * * *', zone: 'Europe/Berlin' },
        jitterMs: 500,
        calendars: [{ weekdays: ['sunday'] }],
      },
      input: { region: 'eu' },
    }
    expect(documentOf(formOf(document), document)).toEqual(document)
  })

  it('changes the kind of trigger as a whole', () => {
    const before = { id: 'often', trigger: { cron: '* * * * *', zone: 'UTC' } }
    const form = { ...formOf(before), kind: 'interval', interval: '30s' } as const
    expect(documentOf(form, before).trigger).toEqual({ interval: '30s' })
  })

  it('refuses an input that is no JSON', () => {
    expect(() => documentOf({ ...formOf(), input: '{' })).toThrow(SyntaxError)
  })
})
