import { Fenced, type NewPart, type Part, type PartStore, type PartVerdict } from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import { stepsOf } from './step-tables.ts'
import type { Synchronous } from './synchronous.ts'

/** What migration 0023 of the PostgreSQL store decides. Tasks of outside workers have no worker here. */
export function partTransactions(database: Database): Synchronous<PartStore> {
  const { tables } = database
  const partsOf = (instanceId: string): Part[] => {
    const { parts } = stepsOf(tables)
    const found = parts.get(instanceId) ?? []
    parts.set(instanceId, found)
    return found
  }
  const countOf = (instanceId: string, step: string): number =>
    partsOf(instanceId).filter((part) => part.step === step).length
  const addOne = ({ instanceId, step, stepNumber, value }: NewPart, most: number): PartVerdict => {
    const parts = partsOf(instanceId)
    const last = countOf(instanceId, step)
    if (stepNumber <= last) return 'known'
    if (stepNumber > last + 1) return 'gap'
    if (parts.length >= most) return 'full'
    parts.push({ number: parts.length + 1, step, stepNumber, value: JSON.parse(value), at: database.now() })
    return 'kept'
  }
  const isEnded = (instanceId: string): boolean => tables.instances.get(instanceId)?.finishedAt !== undefined
  return {
    add: (nodeId, parts, most) => {
      const node = tables.nodes.get(nodeId)
      if (database.has('fence') && (node === undefined || node.doomed)) throw new Fenced({ nodeId })
      return parts.map((part) =>
        tables.agenda.get(part.instanceId)?.claimedBy === nodeId ? addOne(part, most) : 'lost',
      )
    },
    addOfTask: () => ({ verdict: 'not-found', part: 'lost' }),
    read: (_tenant, instanceId, after, limit) => {
      const instance = tables.instances.get(instanceId)
      if (instance === undefined) return undefined
      const parts = partsOf(instanceId).slice(after, after + limit)
      return { parts, status: instance.status, ended: isEnded(instanceId) }
    },
    count: (_tenant, instanceId, step) => countOf(instanceId, step),
    marks: (names) =>
      names.map(({ tenant, instanceId }) => ({
        ...{ tenant, instanceId, last: partsOf(instanceId).length, ended: isEnded(instanceId) },
        spokeAt: undefined,
      })),
  }
}
