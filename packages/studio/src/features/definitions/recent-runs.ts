import type { Instance, Page } from '../../api/wire.ts'

export interface RecentRuns {
  readonly count: number
  readonly failed: number
  readonly lastAt: string
}

/** What one page of the newest instances says of each workflow. `isWhole`: there were no others in that time. */
export function recentRuns(page: Page<Instance> | undefined): {
  readonly isWhole: boolean
  readonly runs: ReadonlyMap<string, RecentRuns>
} {
  const runs = new Map<string, RecentRuns>()
  for (const { definitionId, status, createdAt } of page?.items ?? []) {
    const { count = 0, failed = 0, lastAt = createdAt } = runs.get(definitionId) ?? {}
    const bad = status === 'faulted' || status === 'quarantined' ? 1 : 0
    runs.set(definitionId, { count: count + 1, failed: failed + bad, lastAt })
  }
  return { isWhole: page !== undefined && page.page.next === null, runs }
}

/** `isAll`: there were no others. Where there may have been, none of those that were read says little. */
export function runsText(count: number, isAll: boolean): string {
  if (!isAll && count === 0) return 'Earlier runs'
  return `${count}${isAll ? '' : '+'} ${count === 1 && isAll ? 'run' : 'runs'}`
}
