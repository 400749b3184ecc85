import { toWireId } from '@lockstep/base'
import type { OperationFilter } from '@lockstep/engine'

export interface ToldTarget {
  readonly filter?: Readonly<Record<string, string | number>>
  readonly ids?: readonly string[]
  readonly exclude?: readonly string[]
}

/** Which instances an operation is about, in the words in which it is asked for: sent again, it means the same. Times are those they came to. */
export function toldTarget(kept: OperationFilter): ToldTarget {
  const { definitionId, definitionIds = definitionId === undefined ? undefined : [definitionId] } = kept
  const said: Readonly<Record<string, string | number | undefined>> = {
    status: kept.statuses?.join(','),
    definition: definitionIds?.join(','),
    version: kept.version,
    correlation: kept.correlationId,
    parent: kept.parentId && toWireId('instance', kept.parentId),
    tag: kept.tags?.join(','),
    q: kept.text,
    'createdAt[gte]': instantText(kept.createdFrom),
    'createdAt[lt]': instantText(kept.createdBefore),
    'finishedAt[gte]': instantText(kept.finishedFrom),
    'finishedAt[lt]': instantText(kept.finishedBefore),
    ...Object.fromEntries((kept.input ?? []).map(({ path, value }) => [`input.${path.join('.')}`, value])),
  }
  const filter = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
  return {
    ...(Object.keys(filter).length > 0 && { filter: filter as Record<string, string | number> }),
    ...(kept.instanceIds && { ids: kept.instanceIds.map(wireId) }),
    ...(kept.excludeIds && { exclude: kept.excludeIds.map(wireId) }),
  }
}

const wireId = (id: string): string => toWireId('instance', id)
const instantText = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())
