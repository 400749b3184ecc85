import type { ProgressRow } from '@lockstep/engine'
import Type from 'typebox'
import { iso } from './iso.ts'
import { anything, instant, nullable } from './schema.ts'

const number = (description: string) => Type.Unsafe<number | null>({ type: ['number', 'null'], description })

export const ProgressReply = Type.Object({
  items: Type.Array(
    Type.Object({
      step: Type.String(),
      attempt: Type.Integer(),
      fraction: number('0 to 1.'),
      done: number('Of total.'),
      total: number('What there is to do.'),
      note: nullable('string'),
      beat: anything('What the last heartbeat carried; null: none did.'),
      at: instant('When it was said.'),
    }),
  ),
})

export const toWireProgress = (row: ProgressRow & { readonly at: number }) => ({
  step: row.step,
  attempt: row.attempt,
  fraction: row.fraction ?? null,
  done: row.done ?? null,
  total: row.total ?? null,
  note: row.note ?? null,
  beat: row.beat ?? null,
  at: iso(row.at),
})
