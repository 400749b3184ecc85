import { factFromRow, type StepKey } from '../journal/fact.ts'
import type { RecordedFact } from '../store/agenda-store.ts'

const REVISIONS: ReadonlySet<string> = new Set(['rewound', 'migrated', 'retried', 'forked', 'ended'])

/**
 * The ids under which bookmarks were opened for steps that still wait, as far as the facts alone tell: links that people were sent name them. After
 * an operator changed which facts count, a bookmark may have been consumed under its id, and has another one since.
 */
export function knownBookmarks(facts: readonly RecordedFact[]): ReadonlyMap<StepKey, string> {
  const known = new Map<StepKey, string>()
  for (const row of facts) {
    const fact = factFromRow(row)
    if (REVISIONS.has(fact.kind)) known.clear()
    else if (fact.kind === 'waiting' && fact.bookmark !== undefined) known.set(fact.step, fact.bookmark)
    else if ('step' in fact && fact.step !== undefined) known.delete(fact.step)
  }
  return known
}
