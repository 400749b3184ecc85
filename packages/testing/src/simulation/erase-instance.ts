import type { EraseRequest, EraseVerdict } from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import { keyOf } from './tables.ts'

/** An instance goes with all that belongs to it. */
export function eraseInstance({ tables }: Database, id: string): { readonly rows: number; readonly incidents: number } {
  const rows = tables.journal.get(id)?.length ?? 0
  let incidents = 0
  tables.journal.delete(id)
  tables.inbox.delete(id)
  tables.instances.delete(id)
  for (const [key, row] of tables.bookmarks) if (row.instanceId === id) tables.bookmarks.delete(key)
  for (const [key, row] of tables.incidents)
    if (row.instanceId === id) incidents += tables.incidents.delete(key) ? 1 : 0
  for (const [key, run] of tables.scheduleRuns) if (run.instanceId === id && !run.open) tables.scheduleRuns.delete(key)
  return { rows, incidents }
}

/** What an operator is told who wants an instance deleted before its time. */
export function eraseByOperator(database: Database, { tenant, instanceId, look }: EraseRequest): EraseVerdict {
  const { tables } = database
  const row = tables.instances.get(instanceId)
  if (row?.tenant !== tenant) return { kind: 'not-found' }
  const { definitionId, parentId, finishedAt, status } = row
  if (finishedAt === undefined) return { kind: 'wrong-state', status }
  if (tables.agenda.has(instanceId)) return { kind: 'wrong-state', status: 'running' }
  for (const subject of [`instance:${instanceId}`, `definition:${definitionId}`, '*']) {
    const hold = tables.retentionRules.get(keyOf(tenant, subject, 'hold'))
    if (hold !== undefined) return { kind: 'held', subject, reason: hold.reason }
  }
  const parent = parentId === undefined ? undefined : tables.instances.get(parentId)
  if (parent !== undefined && parent.finishedAt === undefined) return { kind: 'parent-lives', parentId: parent.id }
  if ([...tables.scheduleRuns.values()].some((run) => run.instanceId === instanceId && run.open))
    return { kind: 'unsettled' }
  if (look) {
    const incidents = [...tables.incidents.values()].filter((each) => each.instanceId === instanceId).length
    return { kind: 'deleted', facts: tables.journal.get(instanceId)?.length ?? 0, incidents }
  }
  const { rows: facts, incidents } = eraseInstance(database, instanceId)
  return { kind: 'deleted', facts, incidents }
}
