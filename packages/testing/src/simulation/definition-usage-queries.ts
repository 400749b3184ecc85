import type { DefinitionUsageStore } from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import type { Synchronous } from './synchronous.ts'
import { keyOf } from './tables.ts'

export function definitionUsageQueries({ tables }: Database): Synchronous<DefinitionUsageStore> {
  return {
    pinned: (tenant, id, version, lookAt) => {
      const all = [...tables.instances.values()].filter(
        (row) => row.tenant === tenant && row.definitionId === id && row.version === version,
      )
      const live = all.slice(0, lookAt).filter((row) => row.finishedAt === undefined)
      return { value: live.length, exact: all.length <= lookAt }
    },
    consumers: (tenant, id, after, limit) => {
      const newest = new Map<string, { version: number; current: boolean }>()
      for (const row of tables.versions.values()) {
        if (row.tenant !== tenant || !row.runs.includes(id) || (after !== undefined && row.id <= after)) continue
        const { version, current } = newest.get(row.id) ?? { version: 0, current: false }
        const isCurrent = tables.definitions.get(keyOf(tenant, row.id))?.published === row.version
        newest.set(row.id, { version: Math.max(version, row.version), current: current || isCurrent })
      }
      return [...newest]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .slice(0, limit)
        .map(([consumer, found]) => ({
          id: consumer,
          name: tables.definitions.get(keyOf(tenant, consumer))!.name,
          ...found,
        }))
    },
    tenants: () => {
      const published = [...tables.definitions.values()].filter(
        (row) => row.kind === 'graph' && row.published !== undefined,
      )
      return [...new Set(published.map((row) => row.tenant))].sort()
    },
  }
}
