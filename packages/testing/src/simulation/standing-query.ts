import type { InstanceStanding } from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import type { AgendaTableRow } from './tables.ts'

/** Simulated nodes have them all. */
const EVERY_ROLE = ['worker', 'scheduler', 'api'] as const
const MOST_LISTED = 20

export function instanceStanding(database: Database, tenant: string, id: string): InstanceStanding | undefined {
  const { tables } = database
  const now = database.now()
  const row = tables.instances.get(id)
  if (row === undefined || row.tenant !== tenant) return undefined
  const agenda = tables.agenda.get(id)
  const owner = agenda?.claimedBy === undefined ? undefined : tables.nodes.get(agenda.claimedBy)
  const isAtWork = agenda?.claimedBy !== undefined && agenda.dueAt <= now
  const rests = row.finishedAt === undefined && (row.status === 'queued' || row.status === 'suspended')
  const journal = tables.journal.get(id) ?? []
  return {
    now,
    definitionId: row.definitionId,
    version: row.version,
    status: rests && isAtWork ? 'running' : row.status,
    queue: row.queue,
    parentId: row.parentId,
    createdAt: row.createdAt,
    finishedAt: row.finishedAt,
    lastSeq: journal.reduce((last, fact) => Math.max(last, fact.seq), 0),
    agenda: agenda && {
      dueAt: agenda.dueAt,
      claimNo: agenda.claimNo,
      crashes: agenda.crashes,
      stim: agenda.stim,
      ahead: { value: aheadOf(database, agenda), exact: true },
    },
    // Beats have no time here: a node that is there was heard of just now.
    owner:
      agenda?.claimedBy === undefined
        ? undefined
        : {
            nodeId: agenda.claimedBy,
            name: owner?.name,
            silentMs: owner === undefined ? undefined : 0,
            doomed: owner?.doomed ?? false,
          },
    bookmarks: [...tables.bookmarks.values()]
      .filter((bookmark) => bookmark.instanceId === id)
      .sort((a, b) => a.createdAt - b.createdAt)
      .slice(0, MOST_LISTED)
      .map(({ id: bookmarkId, step, kind, name, correlationId, expiresAt, createdAt }) => ({
        ...{ id: bookmarkId, step, kind, name, correlationId, expiresAt, createdAt },
      })),
    children: [...tables.instances.values()]
      .filter((child) => child.parentId === id && child.parentStep !== undefined && child.finishedAt === undefined)
      .slice(0, MOST_LISTED)
      .map((child) => ({
        ...{ instanceId: child.id, definitionId: child.definitionId, step: child.parentStep! },
        ...{ status: child.status, createdAt: child.createdAt },
      })),
    messages: { value: tables.inbox.get(id)?.length ?? 0, exact: true },
    incidents: [...tables.incidents.values()]
      .filter((incident) => incident.instanceId === id && incident.resolvedAt === undefined)
      .slice(0, MOST_LISTED)
      .map(({ id: incidentId, code, message, step, openedAt }) => ({
        id: incidentId,
        code,
        message,
        step,
        at: openedAt,
      })),
    nodes: [...tables.nodes.values()]
      .filter((node) => !node.doomed)
      .map((node) => ({
        ...{ nodeId: node.id, name: node.name, silentMs: 0 },
        ...{ roles: EVERY_ROLE, wanted: node.wanted ?? 'active' },
      })),
  }
}

/** Due rows of its queue that a claim takes before it: what goes on before what begins, the oldest first. */
function aheadOf({ tables, now }: Database, mine: AgendaTableRow): number {
  if (mine.claimedBy !== undefined || mine.dueAt > now()) return 0
  return [...tables.agenda.values()].filter((row) => {
    if (row.queue !== mine.queue || row.claimedBy !== undefined || row.dueAt > now()) return false
    const [isNew, amNew] = [row.claimNo === 0, mine.claimNo === 0]
    return isNew === amNew ? row.dueAt < mine.dueAt : amNew
  }).length
}
