import { type Area, type BrokenRow, Fenced, type FindingCode } from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import { isHeldBack } from './flow-transactions.ts'
import { outsideOf } from './outside-tables.ts'
import { putMessage, stimulate } from './stimulate.ts'
import { type BookmarkTableRow, type InstanceTableRow, keyOf } from './tables.ts'

interface ExaminedRow {
  readonly place: string
  readonly broken: readonly BrokenRow[]
}

/** Every row of an area, with what is wrong with it. */
export const examinations: Readonly<Record<Area, (database: Database) => ExaminedRow[]>> = {
  instances: (database) =>
    [...database.tables.instances.values()].map((row) => ({
      place: row.id,
      broken: [
        ...(isStranded(database, row)
          ? [broken('STRANDED', row, row.id, row.id, row.status)]
          : lostBookmark(database, row)),
        ...(hasGap(database, row) ? [broken('JOURNAL_GAP', row, row.id, row.id, 'facts are missing')] : []),
      ],
    })),
  agenda: ({ tables }) =>
    [...tables.agenda.values()].map((row) => {
      const instance = tables.instances.get(row.instanceId)
      const isDead = row.claimedBy !== undefined && !tables.nodes.has(row.claimedBy)
      const found = (code: FindingCode) => broken(code, row, row.instanceId, row.instanceId, row.queue)
      return {
        place: row.instanceId,
        broken: [
          ...(instance === undefined ? [found('AGENDA_WITHOUT_INSTANCE')] : []),
          ...(instance?.finishedAt === undefined ? [] : [found('AGENDA_OF_FINISHED')]),
          ...(isDead ? [found('CLAIM_OF_DEAD_NODE')] : []),
        ],
      }
    }),
  bookmarks: (database) =>
    [...database.tables.bookmarks.values()].map((row) => {
      const instance = database.tables.instances.get(row.instanceId)
      const found = (code: FindingCode) => [broken(code, row, row.id, row.instanceId, row.name)]
      if (instance === undefined) return { place: row.id, broken: found('BOOKMARK_WITHOUT_INSTANCE') }
      if (instance.finishedAt !== undefined) return { place: row.id, broken: found('BOOKMARK_OF_FINISHED') }
      const isStill = instance.status === 'quarantined' || instance.status === 'paused'
      const isLost = !isStill && hasLostTask(database, row)
      return { place: row.id, broken: isLost ? found('TASK_LOST') : [] }
    }),
  inbox: ({ tables }) =>
    [...tables.inbox.values()].flat().map((row) => {
      const instance = tables.instances.get(row.instanceId)
      const key = `${row.instanceId}/${row.id}`
      const found = (code: FindingCode) => [broken(code, row, key, row.instanceId, row.kind)]
      const place = `${row.instanceId}/${String(row.id).padStart(16, '0')}`
      if (instance === undefined) return { place, broken: found('INBOX_WITHOUT_INSTANCE') }
      if (instance.finishedAt !== undefined) return { place, broken: found('INBOX_OF_FINISHED') }
      // What stands still keeps its messages until it goes on.
      const isKept = instance.status === 'paused' || instance.status === 'quarantined'
      const isCounted = isKept || (tables.agenda.get(row.instanceId)?.stim ?? 0) > 0
      return { place, broken: isCounted ? [] : found('MESSAGE_NOT_COUNTED') }
    }),
  schedules: ({ tables }) =>
    [...tables.schedules.values()].map((row) => {
      const place = keyOf(row.id, row.tenant)
      const found = (code: FindingCode) => [broken(code, row, row.id, undefined, 'no next time')]
      if (row.paused || row.wakeAt !== undefined) return { place, broken: [] }
      if (row.dueAt !== undefined) return { place, broken: found('SCHEDULE_ASLEEP') }
      const { trigger, endAt } = JSON.parse(row.document) as { trigger?: object; endAt?: unknown }
      const repeats = trigger !== undefined && ('cron' in trigger || 'interval' in trigger) && endAt === undefined
      return { place, broken: repeats && row.after.length === 0 ? found('SCHEDULE_WITHOUT_NEXT') : [] }
    }),
}

/** Mends rows that are still broken in this way; answers how many. */
export function repairs(
  database: Database,
  nodeId: string,
  code: FindingCode,
  rows: readonly Pick<BrokenRow, 'tenant' | 'key'>[],
): number {
  const { tables } = database
  const node = tables.nodes.get(nodeId)
  if (node === undefined || node.doomed) throw new Fenced({ nodeId })
  const area = AREA_OF[code]
  const still = new Set(
    examinations[area](database).flatMap((row) => row.broken.map((each) => keyOf(each.code, each.tenant, each.key))),
  )
  const wanted = rows.filter((row) => still.has(keyOf(code, row.tenant, row.key)))
  for (const { tenant, key } of wanted) {
    const instance = tables.instances.get(key)
    if ((code === 'STRANDED' || code === 'BOOKMARK_LOST') && instance) reopen(database, instance)
    else if (code === 'TASK_LOST') reopen(database, tables.instances.get(tables.bookmarks.get(key)!.instanceId)!)
    else if (area === 'bookmarks') tables.bookmarks.delete(key)
    else if (code === 'MESSAGE_NOT_COUNTED') stimulate(database, [key.split('/')[0]!])
    else if (area === 'inbox') tables.inbox.delete(key.split('/')[0]!)
    else if (code === 'CLAIM_OF_DEAD_NODE') tables.agenda.get(key)!.claimedBy = undefined
    else if (area === 'agenda') tables.agenda.delete(key)
    else if (code === 'SCHEDULE_ASLEEP') {
      const row = tables.schedules.get(keyOf(key, tenant))!
      row.wakeAt = row.dueAt
    } else return 0
  }
  return wanted.length
}

const AREA_OF: Readonly<Record<FindingCode, Area>> = {
  STRANDED: 'instances',
  BOOKMARK_LOST: 'instances',
  JOURNAL_GAP: 'instances',
  AGENDA_OF_FINISHED: 'agenda',
  AGENDA_WITHOUT_INSTANCE: 'agenda',
  CLAIM_OF_DEAD_NODE: 'agenda',
  BOOKMARK_OF_FINISHED: 'bookmarks',
  BOOKMARK_WITHOUT_INSTANCE: 'bookmarks',
  TASK_LOST: 'bookmarks',
  INBOX_OF_FINISHED: 'inbox',
  INBOX_WITHOUT_INSTANCE: 'inbox',
  MESSAGE_NOT_COUNTED: 'inbox',
  SCHEDULE_ASLEEP: 'schedules',
  SCHEDULE_WITHOUT_NEXT: 'schedules',
}

const broken = (
  code: FindingCode,
  { tenant }: { readonly tenant: string },
  key: string,
  instanceId: string | undefined,
  detail: string,
): BrokenRow => ({ code, tenant, key, instanceId, detail })

function isStranded(database: Database, { id, finishedAt, status }: InstanceTableRow): boolean {
  const { tables } = database
  if (isHeldBack(database, id)) return false
  if (finishedAt !== undefined || status === 'quarantined' || status === 'paused' || tables.agenda.has(id)) return false
  if ([...tables.bookmarks.values()].some((row) => row.instanceId === id)) return false
  return ![...tables.instances.values()].some(
    (row) => row.parentId === id && row.parentStep !== undefined && row.finishedAt === undefined,
  )
}

/** A suspicion: the last fact of a step is that it waits, and nothing stands for it outside. */
function lostBookmark({ tables }: Database, row: InstanceTableRow): BrokenRow[] {
  const { id, finishedAt, status } = row
  if (finishedAt !== undefined || status === 'quarantined') return []
  const present = [
    ...[...tables.bookmarks.values()].filter((each) => each.instanceId === id).map((each) => each.step),
    ...(tables.inbox.get(id) ?? []).flatMap((each) => (each.bookmarkId === undefined ? [] : (each.step ?? []))),
  ]
  const last = new Map<string, { readonly kind: string; readonly bookmark: unknown }>()
  for (const { kind, data } of tables.journal.get(id) ?? []) {
    const { step, bookmark } = JSON.parse(data) as { readonly step?: string; readonly bookmark?: unknown }
    if (REVISIONS.has(kind)) return [{ ...broken('BOOKMARK_LOST', row, id, id, status), present }]
    if (step !== undefined) last.set(step, { kind, bookmark })
  }
  const isLost = [...last].some(
    ([step, { kind, bookmark }]) => kind === 'waiting' && bookmark !== undefined && !present.includes(step),
  )
  return isLost ? [{ ...broken('BOOKMARK_LOST', row, id, id, status), present }] : []
}

/** The row of a task follows its bookmark: what is young, and in somebody's hands or about to be, may still get it. */
function hasLostTask(
  { tables, now }: Database,
  { id, tenant, kind, instanceId, createdAt }: BookmarkTableRow,
): boolean {
  if (kind !== 'task' && kind !== 'human') return false
  const { tasks, humanTasks } = outsideOf(tables)
  const key = keyOf(tenant, id)
  if (tasks.get(key)?.status === 'open' || humanTasks.get(key)?.status === 'open') return false
  const agenda = tables.agenda.get(instanceId)
  const isInHands = agenda !== undefined && (agenda.claimedBy !== undefined || agenda.dueAt <= now())
  return !isInHands || createdAt < now() - 60_000
}

const REVISIONS: ReadonlySet<string> = new Set(['rewound', 'migrated', 'retried', 'forked'])

/** Has it opened anew by whoever claims it next. */
function reopen(database: Database, { id, tenant }: InstanceTableRow): void {
  const isAsked = (database.tables.inbox.get(id) ?? []).some(({ kind }) => kind === 'reopen')
  const none = { bookmarkId: undefined, name: undefined, step: undefined }
  if (!isAsked)
    putMessage(database, { instanceId: id, tenant, kind: 'reopen', ...none, payload: '{}', dedupeKey: 'reopen' })
  stimulate(database, [id])
}

function hasGap({ tables }: Database, { id, finishedAt, lastSeq }: InstanceTableRow): boolean {
  const seqs = (tables.journal.get(id) ?? []).map((row) => row.seq).sort((a, b) => a - b)
  return (
    (seqs.length === 0 && tables.tickets.get(id)?.state !== 'gathering') ||
    seqs.some((seq, index) => seq !== index + 1) ||
    (finishedAt !== undefined && seqs.at(-1) !== lastSeq)
  )
}
