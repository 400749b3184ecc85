import { sqlSkeleton } from './sql-skeleton.ts'

/** What kind of statement a text is, as far as that decides whether and how a step may run it. */
export type StatementKind =
  /** Only answers rows, so it can be read through a cursor. */
  | 'reading'
  | 'writing'
  /** Several statements, or one that would end the transaction of the step, change the session or the schema. */
  | 'refused'

export const ALLOWED_VERBS = 'select, insert, update, delete, merge, with, values, table or call'

const VERB = /^[\s(]*([a-z]+)/i
const READING: ReadonlySet<string> = new Set(['select', 'values', 'table'])
const WRITING: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'merge', 'call'])
const CHANGES = /\b(insert|update|delete|merge)\b/i

export function statementKind(text: string): StatementKind {
  const [one, other] = [kindOf(sqlSkeleton(text, false)), kindOf(sqlSkeleton(text, true))]
  return one === other ? one : 'refused'
}

function kindOf(skeleton: string | undefined): StatementKind {
  const single = skeleton?.replace(/[;\s]+$/, '') ?? ''
  if (single.includes(';')) return 'refused'
  const verb = VERB.exec(single)?.[1]?.toLowerCase() ?? ''
  if (READING.has(verb)) return 'reading'
  if (verb === 'with') return CHANGES.test(single) ? 'writing' : 'reading'
  return WRITING.has(verb) ? 'writing' : 'refused'
}
