import { defineError } from '@lockstep/base'
import { parseFilter } from './parse-filter.ts'

export const InvalidFilter = defineError(
  'INVALID_FILTER',
  { retryable: false },
  (d: { term: string; rule: string }) => `Filter "${d.term}" cannot be read: ${d.rule}`,
)

/** Query parameters, by name, of a filter of instances as people write it. */
export function readFilterText(text: string): Readonly<Record<string, string>> {
  const parsed = parseFilter(text)
  if ('fault' in parsed) throw new InvalidFilter(parsed.fault)
  return parsed.parameters
}
