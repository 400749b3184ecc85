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
const BEHIND = /[;\s]/
const CHANGES = /\b(insert|update|delete|merge)\b/i

export function statementKind(text: string): StatementKind {
  const [one, other] = [kindOf(sqlSkeleton(text, false)), kindOf(sqlSkeleton(text, true))]
  return one === other ? one : 'refused'
}

/** Without what may stand behind a statement. Not by a pattern: one that looks for an end begins anew at each blank. */
export function withoutEnd(text: string): string {
  let end = text.length
  while (end > 0 && BEHIND.test(text[end - 1]!)) end -= 1
  return text.slice(0, end)
}

function kindOf(skeleton: string | undefined): StatementKind {
  const single = skeleton === undefined ? '' : withoutEnd(skeleton)
  if (single.includes(';')) return 'refused'
  const verb = VERB.exec(single)?.[1]?.toLowerCase() ?? ''
  if (READING.has(verb)) return 'reading'
  if (verb === 'with') return CHANGES.test(single) ? 'writing' : 'reading'
  return WRITING.has(verb) ? 'writing' : 'refused'
}
