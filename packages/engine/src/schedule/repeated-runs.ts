/**
 * Who asks again with the same key gets the same run, although its input does not fit what is published by now. A decision inside the store's
 * transaction cannot look for it (ADR 0006), so it stops at what does not fit, and is made again once it is known which of that has run.
 */
import type { ScheduleRun } from '../store/schedule-store.ts'
import type { Misfit } from './input-check.ts'

export interface UnfitRun {
  readonly key: string
  readonly misfit: Misfit
}

/** Never leaves `repeatable`. */
export class UnfitRuns extends Error {
  readonly runs: readonly UnfitRun[]

  constructor(runs: readonly UnfitRun[]) {
    super('it has to be seen first which of them have run')
    this.runs = runs
  }
}

/** Runs of the schedule, the latest decision first. */
export type ReadRuns = (before: string | undefined, limit: number) => Promise<readonly ScheduleRun[]>

const PAGE = 1_000

/** Makes a request, which is told of keys that have run. None of them was decided before `since`. Throws `INPUT_INVALID`. */
export async function repeatable<T>(
  readRuns: ReadRuns,
  since: number,
  request: (ran: ReadonlySet<string>) => Promise<T>,
): Promise<T> {
  const ran = new Set<string>()
  for (;;) {
    try {
      return await request(ran)
    } catch (error) {
      if (!(error instanceof UnfitRuns)) throw error
      await findRan(readRuns, since, new Set(error.runs.map(({ key }) => key)), ran)
      const unfit = error.runs.find(({ key }) => !ran.has(key))
      if (unfit !== undefined) throw unfit.misfit
    }
  }
}

async function findRan(readRuns: ReadRuns, since: number, wanted: Set<string>, ran: Set<string>): Promise<void> {
  let before: string | undefined
  for (;;) {
    const page = await readRuns(before, PAGE)
    for (const { key } of page) if (wanted.delete(key)) ran.add(key)
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE || wanted.size === 0 || last.decidedAt < since) return
    before = last.id
  }
}
