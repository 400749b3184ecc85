import type { HumanTaskStore, HumanTaskView, TaskStore, TaskView } from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import { type HumanTaskTableRow, outsideOf, type TaskTableRow } from './outside-tables.ts'
import { putMessage, stimulate } from './stimulate.ts'
import type { Synchronous } from './synchronous.ts'
import { keyOf } from './tables.ts'

/** Puts the end of a piece of work into the inbox of the instance that waits for it. */
function handIn(database: Database, tenant: string, id: string, kind: 'task' | 'human', payload: string): boolean {
  const { tables } = database
  const found = tables.bookmarks.get(id)
  if (found === undefined || found.tenant !== tenant) return false
  tables.bookmarks.delete(id)
  const { instanceId, name, step } = found
  tables.history.push({ kind: 'consumed', bookmarkId: id, instanceId, by: 'resume' })
  putMessage(database, { instanceId, tenant, kind, bookmarkId: id, name, step, payload, dedupeKey: undefined })
  stimulate(database, [instanceId])
  return true
}

export function taskTransactions(database: Database): Synchronous<TaskStore> {
  const { tables } = database
  const { tasks } = outsideOf(tables)
  const isWanted = (row: { readonly id: string }): boolean => tables.bookmarks.has(row.id)
  const cancel = (row: TaskTableRow): void => {
    row.status = 'cancelled'
    row.endedAt = database.now()
  }
  const end: Synchronous<TaskStore>['end'] = (tenant, id, leaseNo, status, message) => {
    const row = tasks.get(keyOf(tenant, id))
    if (row === undefined) return 'not-found'
    if (row.status !== 'open') return row.status === 'cancelled' ? 'cancelled' : 'already-completed'
    const isHeld = row.leaseNo === leaseNo && row.dueAt > database.now()
    if (leaseNo !== ANY_LEASE && !isHeld) return isWanted(row) ? 'lease-lost' : 'cancelled'
    if (!handIn(database, tenant, id, 'task', message)) {
      cancel(row)
      return 'cancelled'
    }
    row.status = status
    row.endedAt = database.now()
    return 'done'
  }
  const view = (row: TaskTableRow): TaskView => ({
    ...toTaskView(row, isWanted(row), database.now()),
    step: tables.bookmarks.get(row.id)?.step ?? row.step,
  })
  return {
    open: (task) => {
      const key = keyOf(task.tenant, task.id)
      const present = tasks.get(key)
      if ((present !== undefined && present.status !== 'cancelled') || !isWanted(task)) return
      const now = database.now()
      // Put away while its bookmark was lost. Earlier claims count, and none of them is good any more.
      if (present !== undefined) {
        Object.assign(present, { status: 'open', dueAt: now, worker: undefined, endedAt: undefined })
        return
      }
      const fresh = { dueAt: now, leaseNo: 0, worker: undefined, progress: undefined, createdAt: now }
      tasks.set(key, { ...task, ...fresh, status: 'open', endedAt: undefined })
    },
    claim: ({ tenant, queue, names, limit, leaseMs, worker, abandoned }) => {
      const claimed: TaskView[] = []
      const due = [...tasks.values()]
        .filter((row) => row.tenant === tenant && row.queue === queue && names.includes(row.name))
        .filter((row) => row.status === 'open' && row.dueAt <= database.now())
        .sort((a, b) => a.dueAt - b.dueAt)
      for (const row of due) {
        if (claimed.length === limit) break
        if (!isWanted(row)) cancel(row)
        else if (row.leaseNo >= row.mostClaims) end(tenant, row.id, ANY_LEASE, 'failed', abandoned)
        else {
          row.leaseNo += 1
          row.dueAt = database.now() + (leaseMs ?? row.leaseMs)
          row.worker = worker
          claimed.push(view(row))
        }
      }
      return claimed
    },
    look: (lookAt) => {
      const due = [...tasks.values()].filter((row) => row.status === 'open' && row.dueAt <= database.now())
      const kinds = due.slice(0, lookAt).map(({ tenant, queue, name }) => ({ tenant, queue, name }))
      return { kinds, more: due.length >= lookAt }
    },
    beat: (tenant, id, leaseNo, leaseMs, progress) => {
      const row = tasks.get(keyOf(tenant, id))
      if (row === undefined) return 'not-found'
      if (row.status !== 'open') return row.status === 'cancelled' ? 'cancelled' : 'already-completed'
      if (!isWanted(row)) return 'cancelled'
      if (row.leaseNo !== leaseNo || row.dueAt <= database.now()) return 'lease-lost'
      row.dueAt = database.now() + (leaseMs ?? row.leaseMs)
      row.progress = progress ?? row.progress
      return 'done'
    },
    end,
    get: (tenant, id) => {
      const row = tasks.get(keyOf(tenant, id))
      return row && view(row)
    },
    list: (tenant, filter, before, limit) =>
      [...tasks.values()]
        .filter((row) => row.tenant === tenant && (before === undefined || row.id < before))
        .map(view)
        .filter((row) => fits(row, { ...filter }))
        .sort((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, limit),
  }
}

const ANY_LEASE = -1

export function humanTaskTransactions(database: Database): Synchronous<HumanTaskStore> {
  const { tables } = database
  const { humanTasks, tokens } = outsideOf(tables)
  const view = (row: HumanTaskTableRow): HumanTaskView => ({
    ...row,
    form: row.form === undefined ? null : JSON.parse(row.form),
    dueAt: row.dueInMs === undefined ? undefined : row.createdAt + row.dueInMs,
    status: row.status === 'open' && !tables.bookmarks.has(row.id) ? 'cancelled' : row.status,
    step: tables.bookmarks.get(row.id)?.step ?? row.step,
  })
  return {
    open: (task) => {
      const key = keyOf(task.tenant, task.id)
      const present = humanTasks.get(key)
      if ((present !== undefined && present.status !== 'cancelled') || !tables.bookmarks.has(task.id)) return
      if (present !== undefined) {
        Object.assign(present, { status: 'open', endedAt: undefined })
        return
      }
      const createdAt = database.now()
      const fresh = { outcome: undefined, completedBy: undefined, createdAt, endedAt: undefined }
      humanTasks.set(key, { ...task, ...fresh, status: 'open' })
    },
    end: ({ tenant, id, outcome, by, message, tokenHash }) => {
      const row = humanTasks.get(keyOf(tenant, id))
      if (row === undefined) return 'not-found'
      if (row.status !== 'open') return row.status === 'cancelled' ? 'cancelled' : 'already-completed'
      const isDone = handIn(database, tenant, id, 'human', message)
      row.status = isDone ? 'completed' : 'cancelled'
      row.endedAt = database.now()
      if (!isDone) return 'cancelled'
      row.outcome = outcome
      row.completedBy = by
      const token = tokenHash === undefined ? undefined : tokens.get(keyOf(tenant, tokenHash))
      if (token !== undefined) token.used = true
      return 'done'
    },
    get: (tenant, id) => {
      const row = humanTasks.get(keyOf(tenant, id))
      return row && view(row)
    },
    list: (tenant, { candidate, ...filter }, before, limit) =>
      [...humanTasks.values()]
        .filter((row) => row.tenant === tenant && (before === undefined || row.id < before))
        .filter((row) => candidate === undefined || (row.assignee === undefined && row.candidates.includes(candidate)))
        .map(view)
        .filter((row) => fits(row, { ...filter }))
        .sort((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, limit),
    addToken: (token) => {
      const found = tables.bookmarks.get(token.bookmarkId)
      if (found === undefined || found.tenant !== token.tenant) return undefined
      const expiresAt = database.now() + token.ttlMs
      tokens.set(keyOf(token.tenant, token.hash), {
        ...token,
        instanceId: found.instanceId,
        expiresAt,
        used: false,
      })
      return expiresAt
    },
    token: (tenant, hash) => {
      const row = tokens.get(keyOf(tenant, hash))
      if (row === undefined) return undefined
      const { bookmarkId, instanceId, expiresAt, used: isUsed } = row
      const found = tables.bookmarks.get(bookmarkId)
      const isExpired = expiresAt <= database.now()
      return { bookmarkId, instanceId, kind: found?.kind, name: found?.name, isExpired, isUsed, expiresAt }
    },
    tokenUsed: (tenant, hash) => {
      const row = tokens.get(keyOf(tenant, hash))
      if (row !== undefined) row.used = true
    },
  }
}

function toTaskView(row: TaskTableRow, isWanted: boolean, now: number): TaskView {
  const { leaseMs: _lease, mostClaims: _most, dueAt, payload, progress, ...rest } = row
  const open = dueAt > now ? 'claimed' : 'open'
  const status = row.status === 'open' ? (isWanted ? open : 'cancelled') : row.status
  return {
    ...rest,
    status,
    payload: row.status === 'open' ? JSON.parse(payload) : null,
    progress: progress === undefined ? null : JSON.parse(progress),
    leaseEndsAt: status === 'claimed' ? dueAt : undefined,
  }
}

function fits(row: object, filter: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(filter).every(
    ([name, value]) => value === undefined || (row as Record<string, unknown>)[name] === value,
  )
}
