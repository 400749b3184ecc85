import type { BrokenRow, MaintenanceStore } from '../store/maintenance-store.ts'
import type { WaitsOf } from './waits-of.ts'

export type ExaminedStore = Pick<MaintenanceStore, 'examine' | 'repair'>

/**
 * The store suspects that a bookmark is lost where facts speak of a wait that nothing stands for outside. A wait that went with its branch looks
 * the same, so the fold decides. It is read after the suspicion: what ended meanwhile is not waited for any more.
 */
export function exactStore(store: ExaminedStore, waitsOf: WaitsOf): ExaminedStore {
  const confirmed = async (row: BrokenRow): Promise<readonly BrokenRow[]> => {
    if (row.code !== 'BOOKMARK_LOST') return [row]
    const { present = [], ...rest } = row
    const waits = (await waitsOf(row.tenant, row.key)) ?? []
    const lost = waits.filter((step) => !present.includes(step))
    return lost.length === 0 ? [] : [{ ...rest, detail: `waits at ${lost.map((step) => `"${step}"`).join(', ')}` }]
  }
  return {
    examine: async (area, after, limit) => {
      const { broken, ...page } = await store.examine(area, after, limit)
      const rows: BrokenRow[] = []
      for (const row of broken) rows.push(...(await confirmed(row)))
      return { ...page, broken: rows }
    },
    repair: (nodeId, code, rows) => store.repair(nodeId, code, rows),
  }
}
