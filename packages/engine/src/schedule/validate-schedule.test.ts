import { describe, expect, it } from 'vitest'
import { acceptSchedule, compileSchedule } from './compile-schedule.ts'
import { ScheduleInvalid } from './errors.ts'
import { documentWith } from './fixtures/schedules.fixture.ts'
import { triggerProblems } from './graph-triggers.ts'
import type { ScheduleDocument } from './schedule.ts'
import { validateSchedule } from './validate-schedule.ts'

const found = (document: unknown) =>
  validateSchedule(document).map(({ pointer, code, severity }) => `${severity} ${code} ${pointer}`)
const doc = (fields: object) => ({ ...documentWith({}), ...fields })

describe('a schedule document', () => {
  it.each([
    ['the least', {}],
    ['a job', { definitionId: undefined, job: 'data-backup' }],
    ['an interval', { trigger: { interval: 'PT15M', anchor: '2026-01-01T00:00:00Z' } }],
    ['one instant', { trigger: { at: 1_800_000_000_000 } }],
    ['every policy as an object', { misfire: { catchUp: 5 }, overlap: 'queue', dst: { gap: 'skip' }, graceMs: 0 }],
    [
      'calendars',
      { calendars: [{ dates: ['2026-12-25', '02-29'], ranges: [{ from: '2026-08-01', to: '2026-08-01' }] }] },
    ],
  ])('is right: %s', (_, fields) => {
    const document = JSON.parse(JSON.stringify(doc(fields)))
    expect(validateSchedule(document)).toEqual([])
  })

  it.each([
    ['no object', null, ['error WRONG_TYPE ']],
    ['nothing in it', {}, ['error MISSING_FIELD ', 'error MISSING_FIELD ']],
    ['a bad id', doc({ id: 'Nightly Report' }), ['error INVALID_ID /id']],
    ['a misspelt field', doc({ jiterMs: 5 }), ['error UNKNOWN_FIELD /jiterMs']],
    ['no trigger in the trigger', doc({ trigger: {} }), ['error MISSING_FIELD /trigger']],
    ['two triggers', doc({ trigger: { cron: '* * * * *', at: 0 } }), ['error AMBIGUOUS_TRIGGER /trigger']],
    [
      'an anchor without interval',
      doc({ trigger: { cron: '* * * * *', anchor: 0 } }),
      ['error AMBIGUOUS_TRIGGER /trigger/anchor'],
    ],
    ['a bad cron', doc({ trigger: { cron: '61 * * * *' } }), ['error INVALID_CRON /trigger/cron']],
    ['an unknown zone', doc({ trigger: { cron: '* * * * *', zone: 'Mars/X' } }), ['error UNKNOWN_ZONE /trigger/zone']],
    ['an interval of nothing', doc({ trigger: { interval: '0s' } }), ['error OUT_OF_RANGE /trigger/interval']],
    ['an interval of months', doc({ trigger: { interval: 'P1M' } }), ['error INVALID_DURATION /trigger/interval']],
    [
      '30 February as an instant',
      doc({ trigger: { at: '2026-02-30T00:00:00Z' } }),
      ['error INVALID_INSTANT /trigger/at'],
    ],
    ['an instant without zone', doc({ startAt: '2026-02-03T00:00:00' }), ['error INVALID_INSTANT /startAt']],
    ['a number that is no instant', doc({ endAt: 1e300 }), ['error INVALID_INSTANT /endAt']],
    [
      'an end before the start',
      doc({ startAt: '2026-02-03T00:00:00Z', endAt: '2026-02-03T00:00:00Z' }),
      ['error EMPTY_RANGE /endAt'],
    ],
    ['a bad misfire', doc({ misfire: 'often' }), ['error VALUE_NOT_ALLOWED /misfire']],
    ['a catch-up of nothing', doc({ misfire: { catchUp: 0 } }), ['error VALUE_NOT_ALLOWED /misfire']],
    ['a bad overlap', doc({ overlap: 'maybe' }), ['error VALUE_NOT_ALLOWED /overlap']],
    ['a bad dst', doc({ dst: { gap: 'once' } }), ['error VALUE_NOT_ALLOWED /dst']],
    ['a negative jitter', doc({ jitterMs: -1 }), ['error OUT_OF_RANGE /jitterMs']],
    ['no target', doc({ definitionId: undefined }), ['error MISSING_FIELD ']],
    ['two targets', doc({ job: 'x' }), ['error AMBIGUOUS_TARGET /job']],
    [
      'dates that do not exist',
      doc({ calendars: [{ dates: ['2026-02-30', '02-30'], ranges: [{ from: '2026-3-1', to: '2026-03-02' }] }] }),
      [
        'error INVALID_DATE /calendars/0/dates/0',
        'error INVALID_DATE /calendars/0/dates/1',
        'error INVALID_DATE /calendars/0/ranges/0/from',
      ],
    ],
    [
      'a range that runs backwards',
      doc({ calendars: [{ ranges: [{ from: '2026-03-02', to: '2026-03-01' }] }] }),
      ['error EMPTY_RANGE /calendars/0/ranges/0'],
    ],
    [
      'a bad weekday',
      doc({ calendars: [{ weekdays: ['sunday'] }] }),
      ['error VALUE_NOT_ALLOWED /calendars/0/weekdays/0'],
    ],
    ['30 February', doc({ trigger: { cron: '0 0 30 2 *' } }), ['warning NEVER_FIRES /trigger']],
    [
      'a week of weekends',
      doc({ calendars: [{ weekdays: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] }] }),
      ['warning NEVER_FIRES /calendars'],
    ],
    ['an instant after the end', doc({ trigger: { at: 5_000 }, endAt: 4_000 }), ['warning NEVER_FIRES /endAt']],
    ['both kinds of days', doc({ trigger: { cron: '0 0 13 * FRI' } }), ['warning EITHER_DAY_MATCHES /trigger/cron']],
    ['caught up but not overlapping', doc({ misfire: { catchUp: 3 } }), ['warning CATCH_UP_OVERLAPS /overlap']],
    ['dst of an interval', doc({ trigger: { interval: '1h' }, dst: 'skip' }), ['warning NO_EFFECT /dst']],
    ['an empty calendar', doc({ calendars: [{}] }), ['warning NO_EFFECT /calendars/0']],
  ])('has a problem: %s', (_, document, problems) => {
    expect(found(document)).toEqual(problems)
  })

  it.each([
    [doc({ jiterMs: 5 }), 'Did you mean "jitterMs"?'],
    [doc({ trigger: { cron: '* * * * *', zone: 'Europe/Berln' } }), 'Did you mean "Europe/Berlin"?'],
    [doc({ trigger: { cron: '* 25 * * *' } }), 'hour: 25 is not between 0 and 23. Write 2, 8-17 or */6'],
    [doc({ cron: '* * * * *' }), '"cron" is not a field of a schedule: write it into "trigger"'],
    [doc({ colour: 'red' }), '"colour" is not a field of a schedule: remove it (use $schema, id, name, '],
    [doc({ trigger: { cron: '* * * * *', tz: 'UTC' } }), '"tz" is not a field of "trigger": remove it (use cron, '],
    [doc({ misfire: 7 }), 'must be fire-once, skip, or { "catchUp": 1 to 1000 }'],
  ])('says what to write instead', (document, text) => {
    expect(validateSchedule(document)[0]?.text).toContain(text)
  })

  it('is not compiled with errors, but with warnings', () => {
    const bad = documentWith({ trigger: { cron: '* 25 * * *' } })
    expect(() => compileSchedule(bad)).toThrow(ScheduleInvalid)
    expect(() => compileSchedule(null as unknown as ScheduleDocument)).toThrow(ScheduleInvalid)
    expect(compileSchedule(documentWith({ trigger: { cron: '0 0 30 2 *' } })).id).toBe('nightly')
  })

  it('is not saved when it never fires', () => {
    expect(() => acceptSchedule(documentWith({ trigger: { cron: '0 0 30 2 *' } }))).toThrow('never fires')
    expect(() => acceptSchedule(documentWith({ trigger: { cron: '0 0 1 * MON' } }))).not.toThrow()
    const graph = { id: 'g', activities: [{ id: 'at', type: 'cron', inputs: { cron: '0 0 31 4 *' } }] }
    expect(triggerProblems(graph)).toMatchObject([
      { code: 'NEVER_FIRES', severity: 'error', pointer: '/activities/0/inputs' },
    ])
  })
})

describe('a document from JavaScript', () => {
  it('may name a field and leave it undefined', () => {
    const trigger = { cron: '0 0 * * *', interval: undefined, at: undefined } as unknown as ScheduleDocument['trigger']
    expect(compileSchedule(documentWith({ trigger })).trigger.kind).toBe('cron')
  })
})
