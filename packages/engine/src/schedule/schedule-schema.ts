import type { JsonObject } from '@lockstep/base'
import Type, { type TProperties, type TSchema } from 'typebox'
import { WEEKDAYS } from './calendar.ts'

const optional = Type.Optional
const closed = (properties: TProperties, description: string): TSchema =>
  Type.Object(properties, { additionalProperties: false, description })
const oneOf = (values: readonly string[], description: string): TSchema =>
  Type.Unsafe({ type: 'string', enum: [...values], description })
const either = (description: string, ...anyOf: readonly TSchema[]): TSchema => Type.Unsafe({ anyOf, description })
const textOrNumber = (description: string): TSchema => Type.Unsafe({ type: ['string', 'number'], description })
const instant = (what: string): TSchema =>
  textOrNumber(`${what} ISO 8601 with a zone, such as 2026-03-29T01:00:00Z, or epoch milliseconds.`)

const DAY_MS = 86_400_000

const trigger = closed(
  {
    cron: optional(Type.String({ description: 'Five fields, or six with the second first.' })),
    interval: optional(textOrNumber('500ms, 30s, 5m, 2h, 7d, ISO 8601 such as PT15M, or milliseconds.')),
    anchor: optional(instant('An instant that the interval passes through.')),
    at: optional(instant('Fires once.')),
    zone: optional(Type.String({ description: 'IANA name such as Europe/Berlin; UTC by default.' })),
  },
  'One of cron, interval and at.',
)

const calendar = closed(
  {
    name: optional(Type.String({ minLength: 1, maxLength: 200 })),
    dates: optional(
      Type.Array(Type.String(), { maxItems: 1_000, description: '2026-12-25, or 12-25 for every year.' }),
    ),
    ranges: optional(
      Type.Array(closed({ from: Type.String(), to: Type.String() }, 'Both days belong to it.'), { maxItems: 1_000 }),
    ),
    weekdays: optional(Type.Array(oneOf(WEEKDAYS, 'A day of the week.'), { maxItems: 7 })),
  },
  'Days on which nothing fires.',
)

const document = closed(
  {
    $schema: optional(Type.String()),
    id: Type.String({ pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$', maxLength: 100, description: 'A slug.' }),
    name: optional(Type.String({ maxLength: 200 })),
    description: optional(Type.String()),
    trigger,
    misfire: optional(
      either(
        'fire-once, skip, or { "catchUp": 1 to 1000 }',
        oneOf(['fire-once', 'skip'], 'What becomes of missed occurrences.'),
        closed({ catchUp: Type.Integer({ minimum: 1, maximum: 1_000 }) }, 'Fires the latest so many.'),
      ),
    ),
    graceMs: optional(Type.Integer({ minimum: 0, maximum: 7 * DAY_MS })),
    overlap: optional(oneOf(['skip', 'queue', 'allow', 'cancel-previous'], 'When an earlier one still runs.')),
    dst: optional(
      either(
        'skip, shift, once, twice, or { "gap": "skip" or "shift", "fold": "once" or "twice" }',
        oneOf(['skip', 'shift', 'once', 'twice'], 'One rule; the other takes its default.'),
        closed(
          {
            gap: optional(oneOf(['skip', 'shift'], 'A wall time that does not exist.')),
            fold: optional(oneOf(['once', 'twice'], 'A wall time that exists twice.')),
          },
          'Both rules.',
        ),
      ),
    ),
    jitterMs: optional(Type.Integer({ minimum: 0, maximum: DAY_MS })),
    calendars: optional(Type.Array(calendar, { maxItems: 100 })),
    startAt: optional(instant('First instant that may fire.')),
    endAt: optional(instant('First instant that may no longer fire.')),
    paused: optional(Type.Boolean()),
    definitionId: optional(Type.String({ minLength: 1, maxLength: 100, description: 'The workflow to start.' })),
    job: optional(Type.String({ minLength: 1, maxLength: 200, description: 'The job to run.' })),
    input: optional(Type.Unknown({ description: 'What each run is given.' })),
  },
  'When a workflow or a job runs.',
)

/** JSON schema (2020-12) of a schedule document: its shape. What cron, zones and dates mean is checked in code. */
export const scheduleSchema: JsonObject = JSON.parse(
  JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Lockstep schedule',
    ...document,
  }),
)
