/** Looks for what must not be: the invariants of the store, one page after another, and mends what can be mended without a doubt. */
import { groupBy } from '@lockstep/base'
import type { Area, BrokenRow, FindingCode } from '../store/maintenance-store.ts'
import type { ExaminedStore } from './exact-store.ts'
import { AREAS, FINDING_KINDS } from './findings.ts'

export interface DoctorOptions {
  /** Mends what is safe to mend. @default false */
  readonly repair?: boolean
  /** Most rows to look at in each area. @default 100_000 */
  readonly lookAt?: number
  /** Goes on where an earlier look stopped: `next` of its areas. Areas that it does not name are looked at from their beginning. */
  readonly after?: Readonly<Partial<Record<Area, string>>>
}

export interface Finding {
  readonly code: FindingCode
  readonly count: number
  /** At most 20. */
  readonly examples: readonly Omit<BrokenRow, 'code'>[]
  readonly meaning: string
  readonly safeToRepair: boolean
  /** What repair does, or did. */
  readonly repair: string | undefined
  readonly repaired: number
}

export interface DoctorReport {
  readonly healthy: boolean
  readonly findings: readonly Finding[]
  /** `next`: there is more; absent: all of the area was looked at. */
  readonly areas: Readonly<Record<Area, { readonly looked: number; readonly next: string | undefined }>>
}

const PAGE = 500
const MOST_EXAMPLES = 20

interface Tally {
  count: number
  repaired: number
  readonly examples: Omit<BrokenRow, 'code'>[]
}

export async function examineStore(
  store: ExaminedStore,
  nodeId: string,
  { repair = false, lookAt = 100_000, after = {} }: DoctorOptions = {},
): Promise<DoctorReport> {
  const tallies = new Map<FindingCode, Tally>()
  const note = async (broken: readonly BrokenRow[]): Promise<void> => {
    for (const [code, rows] of groupBy(broken, (row) => row.code)) {
      const tally = tallies.get(code) ?? { count: 0, repaired: 0, examples: [] }
      tallies.set(code, tally)
      tally.count += rows.length
      const room = MOST_EXAMPLES - tally.examples.length
      tally.examples.push(...rows.slice(0, room).map(({ code: _, ...example }) => example))
      if (repair && FINDING_KINDS[code].repair !== undefined) tally.repaired += await store.repair(nodeId, code, rows)
    }
  }
  const areas: Partial<Record<Area, { looked: number; next: string | undefined }>> = {}
  for (const area of AREAS) {
    let [looked, next] = [0, after[area]]
    do {
      const page = await store.examine(area, next, Math.min(PAGE, lookAt - looked))
      looked += page.looked
      next = page.next
      await note(page.broken)
    } while (next !== undefined && looked < lookAt)
    areas[area] = { looked, next }
  }
  const findings = [...tallies].map(([code, tally]) => {
    const { meaning, repair: does } = FINDING_KINDS[code]
    return { code, ...tally, meaning, safeToRepair: does !== undefined, repair: does }
  })
  return { healthy: findings.length === 0, findings, areas: areas as DoctorReport['areas'] }
}
