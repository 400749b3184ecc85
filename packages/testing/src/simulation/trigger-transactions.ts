import type { EndpointView, PendingStart, TriggerStore } from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import { outsideOf } from './outside-tables.ts'
import type { Synchronous } from './synchronous.ts'
import { type EventTableRow, keyOf, type VersionTableRow } from './tables.ts'

interface Trigger {
  readonly version: VersionTableRow
  readonly id: string
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: inputs of a document that was validated
  readonly inputs: any
}

/** Triggers are read from the published documents each time: what the tables of migration 0016 hold follows from them. */
export function triggerTransactions(database: Database): Synchronous<TriggerStore> {
  const { tables } = database
  const { triggered } = outsideOf(tables)
  return {
    pendingStarts: (eventIds, olderThanMs, limit) =>
      [...tables.events.values()]
        .filter((event) =>
          eventIds === undefined
            ? !event.settled && event.publishedAt <= database.now() - olderThanMs && event.expiresAt > database.now()
            : eventIds.includes(event.id),
        )
        .filter((event) => startsOf(database, event).length > 0)
        .sort((a, b) => a.publishedAt - b.publishedAt)
        .slice(0, limit)
        .flatMap((event) => startsOf(database, event)),
    started: (eventIds) => {
      for (const id of eventIds) triggered.add(id)
    },
    endpoint: (tenant, method, segments) => {
      const fitting = endpointsOf(database, tenant)
        .filter((each) => fits(each.shape, segments))
        .sort((a, b) => (literality(a.shape) < literality(b.shape) ? -1 : 1))
      const methods = [...new Set(fitting.map((each) => each.method))].sort()
      return { endpoint: fitting.find((each) => each.method === method), methods }
    },
    taken: (tenant, definitionId, keys) =>
      endpointsOf(database, tenant)
        .filter((each) => each.definitionId !== definitionId)
        .filter((each) => keys.some((key) => key.method === each.method && key.shape === each.shape))
        .map(({ method, shape, definitionId: owner }) => ({ method, shape, definitionId: owner })),
    endpoints: (tenant, after, limit) =>
      endpointsOf(database, tenant)
        .filter((each) => after === undefined || placeOf(each) > placeOf(after))
        .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
        .slice(0, limit),
    answer: (tenant, instanceId, afterSeq) => {
      const instance = tables.instances.get(instanceId)
      if (instance === undefined || instance.tenant !== tenant) return undefined
      const facts = tables.journal.get(instanceId) ?? []
      const answers = facts
        .filter((fact) => fact.seq > afterSeq && fact.kind === 'completed')
        .map((fact) => JSON.parse(fact.data) as { readonly answers?: boolean; readonly output?: unknown })
        .find((data) => data.answers)
      const { status, finishedAt } = instance
      return { answer: answers?.output, seq: facts.at(-1)?.seq ?? 0, ended: finishedAt !== undefined, status }
    },
  }
}

/** Whether an event has still to start something. */
export function isPending(database: Database, event: EventTableRow): boolean {
  return event.expiresAt > database.now() && startsOf(database, event).length > 0
}

function startsOf(database: Database, event: EventTableRow): readonly PendingStart[] {
  const { tenant, id: eventId, correlationId, payload } = event
  if (outsideOf(database.tables).triggered.has(eventId)) return []
  return triggersOf(database, tenant)
    .filter(({ type, inputs }) => type === 'event' && inputs.event === event.name)
    .filter(({ inputs }) => inputs.correlation === undefined || inputs.correlation === correlationId)
    .filter(({ version, id }) => since(database, version, id, event.name) <= event.publishedAt)
    .map(({ version, id: activity, inputs }) => ({
      ...{ tenant, eventId, correlationId, payload: JSON.parse(payload), activity, filter: inputs.filter?.$expr },
      ...{ definitionId: version.id, version: version.version },
    }))
}

/** The first version without a gap that names this event there. */
function since({ tables }: Database, version: VersionTableRow, activity: string, event: string): number {
  const before = tables.versions.get(keyOf(version.tenant, version.id, version.version - 1))
  const same = before && activitiesOf(before).find(({ id, inputs }) => id === activity && inputs?.event === event)
  return before === undefined || same === undefined
    ? version.publishedAt
    : Math.min(version.publishedAt, before.publishedAt)
}

function triggersOf({ tables }: Database, tenant: string): readonly Trigger[] {
  return [...tables.definitions.values()]
    .filter((row) => row.tenant === tenant && row.kind === 'graph' && row.published !== undefined)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap((row) => activitiesOf(tables.versions.get(keyOf(tenant, row.id, row.published!))!))
}

function activitiesOf(version: VersionTableRow): readonly Trigger[] {
  const document = JSON.parse(version.document ?? '{}') as { readonly activities?: readonly Omit<Trigger, 'version'>[] }
  return (document.activities ?? []).map((activity) => ({ ...activity, version }))
}

function endpointsOf(database: Database, tenant: string): readonly EndpointView[] {
  return triggersOf(database, tenant)
    .filter(({ type }) => type === 'http-endpoint')
    .flatMap(({ version, id: activity, inputs }) =>
      ((inputs.methods ?? ['POST']) as readonly string[]).map((method) => ({
        ...{ tenant, method, activity, inputs, shape: shapeOf(inputs.path) },
        ...{ definitionId: version.id, version: version.version },
      })),
    )
}

const shapeOf = (path: string): string => `/${path.replace(/^\/+|\/+$/g, '').replaceAll(/\{[^/]*\}/g, '{}')}`
const placeOf = ({ shape, method }: { readonly shape: string; readonly method: string }): string =>
  `${shape}\n${method}`
const literality = (shape: string): string =>
  shape
    .split('/')
    .map((segment) => (segment === '{}' ? 1 : 0))
    .join('')

function fits(shape: string, segments: readonly string[]): boolean {
  const wanted = shape === '/' ? [] : shape.slice(1).split('/')
  return wanted.length === segments.length && wanted.every((each, n) => each === '{}' || each === segments[n])
}
