import { type WorkflowEntry, whoOf } from '../versions/workflow-entry.ts'

export interface Saver {
  readonly who: string
  readonly times: number
  readonly lastAt: string
}

/** Who saved a draft after `since`, the latest first. The log tells who saved and when, not which field. */
export function saversOf(entries: readonly WorkflowEntry[], since: string | null | undefined): readonly Saver[] {
  const after = since == null ? Number.NEGATIVE_INFINITY : Date.parse(since)
  const savers = new Map<string, Saver>()
  for (const entry of entries) {
    const who = whoOf(entry)
    if (who === undefined || Date.parse(entry.at) <= after) continue
    const { times, lastAt } = savers.get(who) ?? { times: 0, lastAt: entry.at }
    savers.set(who, { who, times: times + 1, lastAt: entry.at > lastAt ? entry.at : lastAt })
  }
  return [...savers.values()].sort((a, b) => b.lastAt.localeCompare(a.lastAt))
}
