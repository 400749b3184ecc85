import { type BulkOperation, idPrefix, type OperationFilter, type OperationStore } from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import { eraseByOperator } from './erase-instance.ts'
import { shownStatus } from './instance-queries.ts'
import type { OperationTableRow } from './operation-tables.ts'
import type { Synchronous } from './synchronous.ts'
import { type InstanceTableRow, keyOf } from './tables.ts'

export function operationTransactions(database: Database): Synchronous<OperationStore> {
  const { tables, now } = database
  const find = (tenant: string, id: string) => tables.operations.get(keyOf(tenant, id))
  return {
    create: ({ tenant, id, ...operation }) => {
      if (find(tenant, id) !== undefined) return
      const fresh = {
        state: 'freezing',
        finishedAt: undefined,
        walkedTo: '',
        total: 0,
        cut: false,
        paused: false,
      } as const
      tables.operations.set(keyOf(tenant, id), {
        tenant,
        id,
        ...operation,
        ...fresh,
        createdAt: now(),
        items: new Map(),
      })
    },
    get: (tenant, id) => {
      const found = find(tenant, id)
      return found && toOperation(found)
    },
    list: (tenant, before, limit) =>
      [...tables.operations.values()]
        .filter((row) => row.tenant === tenant && (before === undefined || row.id < before))
        .sort((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, limit)
        .map(toOperation),
    steer: (tenant, id, wish) => {
      const found = find(tenant, id)
      if (found === undefined || found.finishedAt !== undefined) return false
      if (wish === 'cancel') Object.assign(found, { state: 'cancelled', finishedAt: now() })
      else found.paused = wish === 'pause'
      return true
    },
    items: (tenant, id, { after, outcome }, limit) =>
      sortedItems(find(tenant, id))
        .filter(([key, item]) => (after === undefined || key > after) && (outcome ?? item.outcome) === item.outcome)
        .slice(0, limit)
        .map(([instanceId, item]) => ({ instanceId, ...item })),
    next: () => {
      const [first] = [...tables.operations.values()]
        .filter((row) => row.finishedAt === undefined && !row.paused)
        .sort((a, b) => a.createdAt - b.createdAt)
      if (first === undefined) return undefined
      const { tenant, id, verb, state } = first
      return { tenant, id, verb, state, options: JSON.parse(first.options) }
    },
    freeze: (tenant, id, lookAt) => {
      const found = find(tenant, id)
      if (found?.state === 'freezing') freeze(database, found, lookAt)
    },
    pending: (tenant, id, limit) => {
      const found = find(tenant, id)
      if (found?.state !== 'applying' || found.paused) return []
      const open = sortedItems(found).filter(([, item]) => item.outcome === undefined)
      if (open.length === 0) Object.assign(found, { state: 'done', finishedAt: now() })
      return open.slice(0, limit).map(([instanceId]) => instanceId)
    },
    settle: (tenant, id, items) => {
      for (const { instanceId, outcome, detail } of items) {
        const item = find(tenant, id)?.items.get(instanceId)
        if (item !== undefined && item.outcome === undefined) Object.assign(item, { outcome, detail })
      }
    },
    preview: (
      tenant,
      filter,
      meant,
      { lookAt, sample, listed, limit = Number.POSITIVE_INFINITY, deletes, toVersion },
    ) => {
      const all = [...tables.instances.values()].filter((row) => row.tenant === tenant && isMeant(row, filter))
      const page = all.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, lookAt)
      const fit = page.filter((row) => fits(database, row, filter))
      const isListed = (row: InstanceTableRow) => listed?.includes(shownStatus(database, row)) ?? true
      const missing = [...new Set(filter.instanceIds ?? [])].filter((id) => !page.some((row) => row.id === id))
      const places = [...fit.filter(isListed).map((row) => row.id), ...missing].sort()
      const reasonOf = (row: InstanceTableRow): string | undefined => {
        const status = shownStatus(database, row)
        if (isListed(row) && places.indexOf(row.id) >= limit) return 'limit'
        if (!isListed(row) || !meant.includes(status)) return status
        if (row.version === toVersion) return 'same-version'
        return deletes === true ? obstacleOf(database, row) : undefined
      }
      const skipped: Record<string, number> = {}
      const skip = (why: string) => {
        skipped[why] = (skipped[why] ?? 0) + 1
      }
      const could = fit.filter((row) => {
        const reason = reasonOf(row)
        if (reason !== undefined) skip(reason)
        return reason === undefined
      })
      for (const id of missing) skip(places.indexOf(id) >= limit ? 'limit' : 'not-found')
      return {
        count: could.length,
        exact: page.length < lookAt,
        sample: could.slice(0, sample).map((row) => row.id),
        skipped,
        definitionIds: [...new Set(could.map((row) => row.definitionId))].sort(),
      }
    },
  }
}

function obstacleOf(database: Database, { tenant, id: instanceId }: InstanceTableRow): string | undefined {
  const asked = { tenant, instanceId, rows: 0, look: true, operationId: undefined }
  const verdict = eraseByOperator(database, asked)
  if (verdict.kind === 'wrong-state') return verdict.status
  return verdict.kind === 'deleted' ? undefined : verdict.kind
}

/** Those that are looked at: by their ids, by the index on the correlation id, or all. */
const isMeant = (row: InstanceTableRow, { instanceIds, correlationId }: OperationFilter): boolean =>
  instanceIds === undefined
    ? correlationId === undefined || row.correlationId === correlationId
    : instanceIds.includes(row.id)

function fits(database: Database, row: InstanceTableRow, filter: OperationFilter): boolean {
  const { definitionId, definitionIds, version, statuses, correlationId, createdFrom, createdBefore } = filter
  const { parentId, finishedFrom, finishedBefore, tags, text, input = [], excludeIds } = filter
  const { finishedAt } = row
  return (
    (definitionId === undefined || row.definitionId === definitionId) &&
    (definitionIds === undefined || definitionIds.includes(row.definitionId)) &&
    (version === undefined || row.version === version) &&
    (statuses === undefined || statuses.includes(shownStatus(database, row))) &&
    (correlationId === undefined || row.correlationId === correlationId) &&
    (parentId === undefined || row.parentId === parentId) &&
    (createdFrom === undefined || row.createdAt >= createdFrom) &&
    (createdBefore === undefined || row.createdAt < createdBefore) &&
    (finishedFrom === undefined || (finishedAt !== undefined && finishedAt >= finishedFrom)) &&
    (finishedBefore === undefined || (finishedAt !== undefined && finishedAt < finishedBefore)) &&
    (tags === undefined || definitionOf(database, row)?.tags.some((tag) => tags.includes(tag)) === true) &&
    (text === undefined || says(database, row, text)) &&
    input.every(({ path, value }) => inputText(database, row, path) === value) &&
    excludeIds?.includes(row.id) !== true
  )
}

const definitionOf = ({ tables }: Database, row: InstanceTableRow) =>
  tables.definitions.get(keyOf(row.tenant, row.definitionId))

function says(database: Database, row: InstanceTableRow, text: string): boolean {
  const prefix = idPrefix(text)
  const { id, name } = definitionOf(database, row) ?? { id: '', name: '' }
  return (
    row.correlationId?.startsWith(text) === true ||
    (prefix !== undefined && row.id.startsWith(prefix)) ||
    [id, name].some((each) => each.toLowerCase().includes(text.toLowerCase()))
  )
}

/** What `#>>` of PostgreSQL gives. */
function inputText({ tables }: Database, row: InstanceTableRow, path: readonly string[]): string | undefined {
  const first = tables.journal.get(row.id)?.find(({ seq }) => seq === 1)
  let value: unknown = first && JSON.parse(first.data).input
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name]
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function freeze(database: Database, operation: OperationTableRow, lookAt: number): void {
  const { tables } = database
  const { tenant, filter, limit, createdAt, items } = operation
  const add = (id: string) => items.set(id, { outcome: undefined, detail: undefined })
  if (filter.instanceIds !== undefined) {
    for (const id of [...new Set(filter.instanceIds)].sort()) {
      const row = tables.instances.get(id)
      if (items.size < limit && (row?.tenant !== tenant || fits(database, row, filter))) add(id)
    }
    Object.assign(operation, { total: items.size, state: 'applying' })
    return
  }
  const page = [...tables.instances.values()]
    .filter((row) => row.tenant === tenant && row.id > operation.walkedTo && isMeant(row, filter))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, lookAt)
  const fit = page.filter((row) => row.createdAt <= createdAt && fits(database, row, filter))
  const room = limit - operation.total
  for (const row of fit.slice(0, room)) add(row.id)
  operation.walkedTo = page.at(-1)?.id ?? operation.walkedTo
  operation.total = items.size
  operation.cut = fit.length > room
  if (page.length < lookAt || operation.cut) operation.state = 'applying'
}

const sortedItems = (operation: OperationTableRow | undefined) =>
  [...(operation?.items ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))

function toOperation(row: OperationTableRow): BulkOperation {
  const { items, walkedTo: _, options, paused, ...rest } = row
  const outcomes: Record<string, number> = {}
  for (const { outcome } of items.values()) if (outcome !== undefined) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  const state = paused && rest.finishedAt === undefined ? 'paused' : rest.state
  return { ...rest, state, options: JSON.parse(options), outcomes }
}
