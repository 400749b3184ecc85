/**
 * Lists of instances. Where an index knows those that can fit, by correlation id, parent or a text, only these are looked at; else the list is
 * walked along the primary key, a bounded stretch at a time.
 */
import { type BrowseStore, type InstanceFilter, idPrefix, type TimeRange } from '@lockstep/engine/ports'
import type { Lane } from '../db/db.ts'
import { LOOK_AT } from './browse.sql.ts'
import * as sql from './browse-instance.sql.ts'
import { type Edge, stretch } from './browse-stretch.ts'
import { toView } from './instance-reader.ts'

export function browseInstances(lane: Lane): BrowseStore['instances'] {
  return async (tenant, filter, place, limit) => {
    const { ids, prefix } = await narrowed(lane, tenant, filter)
    if (ids?.length === 0) return { rows: [], lookedTo: undefined }
    const upwards = (place.oldestFirst === true) !== (place.back === true)
    const params = { tenant, limit, ...instanceParams(filter) }
    const counts = filter.input?.length !== undefined && filter.input.length > 0 ? undefined : {}
    if (ids !== undefined) {
      const list = upwards ? sql.instancesAmongUp : sql.instancesAmongDown
      const wanted = { ...params, ids, from: place.from, to: undefined }
      const page = await stretch(
        place,
        limit,
        async () => undefined,
        () => lane.many(list, wanted),
        counts && (() => lane.one(sql.instanceCountAmong, wanted)),
      )
      return { ...page, rows: page.rows.map((row) => toView(tenant, row)) }
    }
    const ends = endsOf(filter, prefix)
    const [bound, list, count] = upwards
      ? [sql.instanceBoundUp, sql.instancesUp, sql.instanceCountUp]
      : [sql.instanceBoundDown, sql.instancesDown, sql.instanceCountDown]
    const from = upwards ? later(place.from, ends.low) : earlier(place.from, ends.high)
    const page = await stretch(
      place,
      limit,
      async () => nearer(await lane.maybeOne(bound, { from }), upwards ? ends.high : ends.low, upwards),
      (to) => lane.many(list, { ...params, from, to }),
      // Inputs stand in journals: counting by them would read thousands of those.
      counts && ((to) => lane.one(count, { ...params, from, to })),
    )
    return { ...page, rows: page.rows.map((row) => toView(tenant, row)) }
  }
}

/** Along the same bounded stretch as the first page of the list. */
export function countInstances(lane: Lane): BrowseStore['instanceCounts'] {
  return async (tenant, filter) => {
    const { ids, prefix } = await narrowed(lane, tenant, filter)
    const params = { tenant, limit: 0, ...instanceParams(filter) }
    if (ids !== undefined) {
      const rows = await lane.many(sql.instanceStatusesAmong, { ...params, ids, from: undefined, to: undefined })
      return { statuses: byStatus(rows), exact: true }
    }
    const { low, high: from } = endsOf(filter, prefix)
    const edge = nearer(await lane.maybeOne(sql.instanceBoundDown, { from }), low, false)
    const rows = await lane.many(sql.instanceStatuses, { ...params, from, to: edge?.id })
    return { statuses: byStatus(rows), exact: edge === undefined || edge.last === true }
  }
}

const byStatus = (rows: readonly { readonly status: string; readonly count: number }[]) =>
  Object.fromEntries(rows.map(({ status, count }) => [status, count]))

interface Narrowed {
  /** Only these can fit. Absent: too many to be named. */
  readonly ids?: readonly string[]
  /** Only ids that begin so can fit. */
  readonly prefix?: string
}

async function narrowed(lane: Lane, tenant: string, filter: InstanceFilter): Promise<Narrowed> {
  const { correlationId, parentId, tags, text } = filter
  if (correlationId !== undefined) return few(await lane.many(sql.idsOfCorrelation, { tenant, correlationId }))
  if (parentId !== undefined) return few(await lane.many(sql.idsOfParent, { tenant, parentId }))
  if (tags === undefined && text === undefined) return {}
  const meant = await lane.one(sql.definitionsMeant, { tenant, tags, text })
  if (tags !== undefined && meant.whole && !meant.tagged) return { ids: [] }
  // Instances of a workflow stand in no index: those of one with such a name are found on the way.
  if (text === undefined || meant.named || !meant.whole) return {}
  const byCorrelation = await lane.many(sql.idsByCorrelation, { tenant, prefix: text })
  const prefix = idPrefix(text)
  if (prefix === undefined || byCorrelation.length > LOOK_AT) return few(byCorrelation)
  // They stand side by side.
  if (byCorrelation.length === 0) return { prefix }
  const byId = await lane.many(sql.idsBetween, { tenant, first: firstOf(prefix), last: lastOf(prefix) })
  return few([...byCorrelation, ...byId])
}

const few = (rows: readonly { readonly id: string }[]): Narrowed =>
  rows.length > LOOK_AT ? {} : { ids: [...new Set(rows.map(({ id }) => id))] }

const firstOf = (prefix: string): string => prefix + '00000000-0000-0000-0000-000000000000'.slice(prefix.length)
const lastOf = (prefix: string): string => prefix + 'ffffffff-ffff-ffff-ffff-ffffffffffff'.slice(prefix.length)

const date = (at: number | undefined): Date | undefined => (at === undefined ? undefined : new Date(at))

function instanceParams({ finished, input = [], ...filter }: InstanceFilter) {
  const created = madeIn(filter)
  return {
    begun: filter.started === undefined ? undefined : (true as const),
    definitionIds: filter.definitionIds,
    version: filter.version,
    statuses: filter.statuses,
    correlationId: filter.correlationId,
    parentId: filter.parentId,
    createdFrom: date(created.from),
    createdUntil: date(created.until),
    finishedFrom: date(finished?.from),
    finishedUntil: date(finished?.until),
    paths: input.length === 0 ? undefined : input.map(({ path }) => toPath(['input', ...path])),
    values: input.length === 0 ? undefined : input.map(({ value }) => value),
    tags: filter.tags,
    text: filter.text,
    idPrefix: filter.text === undefined ? undefined : idPrefix(filter.text),
  }
}

/** The text of an SQL array. */
const toPath = (path: readonly string[]): string =>
  `{${path.map((name) => `"${name.replace(/["\\]/g, '\\$&')}"`).join(',')}}`

/** Clocks of nodes, by which ids are made, and that of the store, by which they are judged, do not differ by a day. */
const SKEW_MS = 86_400_000

/** What has begun did so when it was made. */
const madeIn = ({ created, started }: InstanceFilter): TimeRange => ({
  from: bound(Math.max, created?.from, started?.from),
  until: bound(Math.min, created?.until, started?.until),
})

const bound = (pick: (a: number, b: number) => number, a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? (a ?? b) : pick(a, b)

/** Ids between which all of those wanted lie: an id is made shortly before its instance. */
function endsOf(filter: InstanceFilter, prefix: string | undefined) {
  const created = madeIn(filter)
  const low = created.from === undefined ? undefined : madeAt(created.from - SKEW_MS)
  const high = created.until === undefined ? undefined : madeAt(created.until + SKEW_MS)
  if (prefix === undefined) return { low, high }
  return { low: later(low, beside(firstOf(prefix), -1n)), high: earlier(high, beside(lastOf(prefix), 1n)) }
}

/** The id before or after another: where a search begins is not part of it. */
function beside(id: string, step: 1n | -1n): string {
  const number = BigInt(`0x${id.replaceAll('-', '')}`) + step
  if (number < 0n || number >= 1n << 128n) return id
  return number
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function madeAt(at: number): string {
  const hex = Math.min(Math.max(0, at), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

const earlier = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a

const later = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a

/** The search ends where its stretch does, or where nothing can fit any more. */
function nearer(edge: Edge | undefined, end: string | undefined, upwards: boolean): Edge | undefined {
  if (end === undefined) return edge
  const isBeyond = edge === undefined || (upwards ? end <= edge.id : end >= edge.id)
  return isBeyond ? { id: end, last: true } : edge
}
