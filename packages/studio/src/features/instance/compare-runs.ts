import type { Execution } from './executions.ts'

/** `slower` and `faster` only where it is more than a trifle. */
export type Difference = 'same' | 'slower' | 'faster' | 'status' | 'outcome' | 'output' | 'only-here' | 'only-there'

export interface ComparedStep {
  readonly key: string
  readonly activity: string
  readonly here: Execution | undefined
  readonly there: Execution | undefined
  readonly difference: Difference
  /** How much longer it took here. */
  readonly byMs: number | undefined
}

/** Steps of two runs beside each other, by their keys, in the order of the first; what only the other has stands behind what came before it there. */
export function compareRuns(here: readonly Execution[], there: readonly Execution[]): readonly ComparedStep[] {
  const others = new Map(there.map((each) => [each.key, each]))
  const own = new Set(here.map(({ key }) => key))
  const rows = here.map((each) => compared(each, others.get(each.key)))
  let at = 0
  for (const each of there) {
    const found = own.has(each.key) ? rows.findIndex(({ key }) => key === each.key) : -1
    if (found >= 0) at = found + 1
    else {
      rows.splice(at, 0, compared(undefined, each))
      at += 1
    }
  }
  return rows
}

/** Below this, and below a fifth, a difference is the weather. */
const TRIFLE_MS = 20
const TRIFLE = 0.2

function compared(here: Execution | undefined, there: Execution | undefined): ComparedStep {
  const { key, activity } = (here ?? there)!
  const [a, b] = [took(here), took(there)]
  const byMs = a === undefined || b === undefined ? undefined : a - b
  return { key, activity, here, there, difference: differenceOf(here, there, byMs, b ?? 0), byMs }
}

function differenceOf(
  here: Execution | undefined,
  there: Execution | undefined,
  byMs: number | undefined,
  before: number,
): Difference {
  if (there === undefined) return 'only-here'
  if (here === undefined) return 'only-there'
  if (here.status !== there.status) return 'status'
  if (here.outcome !== there.outcome) return 'outcome'
  if (JSON.stringify(here.output) !== JSON.stringify(there.output)) return 'output'
  if (byMs === undefined || Math.abs(byMs) < Math.max(TRIFLE_MS, before * TRIFLE)) return 'same'
  return byMs > 0 ? 'slower' : 'faster'
}

const took = (run: Execution | undefined): number | undefined =>
  run?.endedAt === undefined ? undefined : run.endedAt - run.begunAt
