import {
  Fenced,
  type LimitStore,
  type PermitAnswer,
  type PermitAsk,
  type PermitEnd,
  type PermitName,
  type StoredLimit,
} from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import { type LimitTableRow, type PermitTableRow, type StepTables, stepsOf } from './step-tables.ts'
import { stimulate } from './stimulate.ts'
import type { Synchronous } from './synchronous.ts'
import { keyOf } from './tables.ts'

type Line = Pick<PermitName, 'tenant' | 'kind' | 'key'>

const lineKey = ({ tenant, kind, key }: Line): string => keyOf(tenant, kind, key)
const permitKey = (row: Omit<PermitTableRow, 'ticket'> | PermitName): string =>
  keyOf(row.tenant, row.kind, row.key, row.instanceId, row.step)
const inLine = (row: PermitTableRow, line: { readonly tenant: string; readonly kind: string; readonly key: string }) =>
  row.tenant === line.tenant && row.kind === line.kind && row.key === line.key

export function limitTransactions(database: Database): Synchronous<LimitStore> {
  const { tables } = database
  const waiting = ({ permits }: StepTables, line: Parameters<typeof inLine>[1]): PermitTableRow[] =>
    [...permits.values()]
      .filter((row) => row.nodeId === undefined && inLine(row, line))
      .sort((a, b) => a.ticket - b.ticket)
  const running = ({ permits }: StepTables, line: Parameters<typeof inLine>[1]): PermitTableRow[] =>
    [...permits.values()].filter((row) => row.nodeId !== undefined && inLine(row, line))

  const free = (steps: StepTables, row: LimitTableRow): number => {
    const { concurrency, rate } = row.set ?? row.declared
    const slots = concurrency === undefined ? Number.MAX_SAFE_INTEGER : concurrency - running(steps, row).length
    if (rate === undefined) return Math.max(0, slots)
    const recent = row.grants.slice(-rate.limit).filter((at) => at > database.now() - rate.perMs).length
    return Math.max(0, Math.min(slots, rate.limit - recent))
  }

  const giveBack = ({ permits }: StepTables, nodeId: string | undefined, end: PermitEnd): void => {
    const row = permits.get(permitKey(end))
    if (row === undefined || (row.nodeId !== undefined && row.nodeId !== nodeId)) return
    if (!end.back) permits.delete(permitKey(end))
    else if (row.nodeId !== undefined) Object.assign(row, { nodeId: undefined, calledAt: database.now() })
  }

  const queue = ({ permits }: StepTables, limit: LimitTableRow, ask: PermitAsk): void => {
    const key = permitKey(ask)
    if (permits.has(key)) return
    const { rule: _, ...name } = ask
    const fresh = { calledAt: undefined, untilAt: undefined, nodeId: undefined }
    permits.set(key, { ...name, ticket: ++limit.ticket, askedAt: database.now(), ...fresh })
  }

  const serve = (
    steps: StepTables,
    limit: LimitTableRow,
    nodeId: string | undefined,
    here: ReadonlySet<string>,
    patienceMs: number,
  ): string[] => {
    const now = database.now()
    const called: string[] = []
    for (const row of waiting(steps, limit)) {
      const tooLate = row.calledAt !== undefined && row.calledAt <= now - patienceMs
      if (tooLate && !here.has(permitKey(row))) steps.permits.delete(permitKey(row))
    }
    let left = free(steps, limit)
    for (const row of waiting(steps, limit)) {
      if (left <= 0) break
      if (here.has(permitKey(row))) {
        Object.assign(row, { nodeId, calledAt: undefined })
        limit.grants.push(now)
      } else if (!tables.agenda.has(row.instanceId)) {
        steps.permits.delete(permitKey(row))
        continue
      } else if (row.calledAt === undefined) {
        row.calledAt = now
        called.push(row.instanceId)
      }
      left -= 1
    }
    return called
  }

  const answer = (steps: StepTables, nodeId: string | undefined, ask: PermitAsk): PermitAnswer => {
    const row = steps.permits.get(permitKey(ask))!
    const limit = steps.limits.get(lineKey(ask))!
    const granted = row.nodeId !== undefined && row.nodeId === nodeId
    const ahead = row.nodeId === undefined ? row.ticket - waiting(steps, ask)[0]!.ticket : 0
    const { rate } = limit.set ?? limit.declared
    const grant = rate && limit.grants.slice(-rate.limit)[ahead % rate.limit]
    return {
      granted,
      ahead,
      waitedMs: database.now() - row.askedAt,
      waitsMs:
        rate === undefined || row.nodeId !== undefined
          ? undefined
          : Math.max(0, grant === undefined ? 0 : grant + rate.perMs - database.now()) +
            Math.floor(ahead / rate.limit) * rate.perMs,
    }
  }

  const view = (row: LimitTableRow): StoredLimit => {
    const steps = stepsOf(tables)
    const { tenant, key, declared, set } = row
    return {
      ...{ tenant, key, declared, set },
      running: running(steps, row).length,
      waiting: waiting(steps, row).length,
    }
  }

  return {
    exchange: (nodeId, ends, asks, patienceMs) => {
      if (nodeId !== undefined && !tables.nodes.has(nodeId)) throw new Fenced({ nodeId })
      const steps = stepsOf(tables)
      for (const ask of asks) {
        const key = lineKey(ask)
        const present = steps.limits.get(key)
        const { tenant, kind, key: name, rule } = ask
        if (present !== undefined) Object.assign(present, { declared: rule, usedAt: database.now() })
        else {
          const fresh = { declared: rule, set: undefined, ticket: 0, usedAt: database.now(), grants: [] }
          steps.limits.set(key, { tenant, kind, key: name, ...fresh })
        }
      }
      for (const end of ends) giveBack(steps, nodeId, end)
      const lines = [...new Set([...ends, ...asks].map(lineKey))].sort()
      const called: string[] = []
      for (const line of lines) {
        const limit = steps.limits.get(line)
        if (limit === undefined) continue
        const own = asks.filter((ask) => lineKey(ask) === line)
        for (const ask of own) queue(steps, limit, ask)
        called.push(...serve(steps, limit, nodeId, new Set(own.map(permitKey)), patienceMs))
      }
      stimulate(database, called)
      return { answers: asks.map((ask) => answer(steps, nodeId, ask)), called }
    },
    waitedFor: (limit) => {
      const lines = new Map<string, Line>()
      for (const { tenant, kind, key, nodeId } of stepsOf(tables).permits.values()) {
        if (nodeId === undefined && kind !== 'breaker') lines.set(keyOf(tenant, kind, key), { tenant, kind, key })
      }
      return [...lines.values()].slice(0, limit)
    },
    noteBreakers: (waits) => {
      for (const { inMs, ...name } of waits) {
        const row = { ...name, kind: 'breaker', ticket: 0, calledAt: undefined, nodeId: undefined } as const
        const now = database.now()
        const before = stepsOf(tables).permits.get(permitKey({ ...row, askedAt: 0, untilAt: 0 }))
        const askedAt = before !== undefined && before.untilAt! >= now - 10_000 ? before.askedAt : now
        stepsOf(tables).permits.set(permitKey({ ...row, askedAt, untilAt: now }), {
          ...{ ...row, askedAt },
          untilAt: now + inMs,
        })
      }
    },
    waits: (tenant, instanceId) => {
      const steps = stepsOf(tables)
      return [...steps.permits.values()]
        .filter((row) => row.tenant === tenant && row.instanceId === instanceId && row.nodeId === undefined)
        .filter((row) => row.untilAt === undefined || row.untilAt > database.now() - 5_000)
        .filter((row) => row.kind !== 'breaker' || steps.breakers.get(keyOf(tenant, row.key))?.state !== 'closed')
        .map((row) => ({
          ...{ kind: row.kind, key: row.key, step: row.step, since: row.askedAt, untilAt: row.untilAt },
          ahead: row.kind === 'breaker' ? 0 : row.ticket - waiting(steps, row)[0]!.ticket,
          holders: running(steps, row)
            .slice(0, 3)
            .map(({ instanceId: id, step }) => ({ instanceId: id, step })),
        }))
    },
    set: (tenant, key, rule) => {
      const { limits } = stepsOf(tables)
      const line = keyOf(tenant, 'limit', key)
      const present = limits.get(line)
      const set = rule && { ...rule, at: database.now() }
      const declared = { concurrency: undefined, rate: undefined }
      const fresh = { declared, set, ticket: 0, usedAt: database.now(), grants: [] }
      if (present !== undefined) present.set = set
      else if (set !== undefined) limits.set(line, { tenant, kind: 'limit', key, ...fresh })
    },
    get: (tenant, key) => {
      const found = stepsOf(tables).limits.get(keyOf(tenant, 'limit', key))
      return found && view(found)
    },
    list: (tenant, after, limit) =>
      [...stepsOf(tables).limits.values()]
        .filter((row) => row.tenant === tenant && row.kind === 'limit' && row.key > after)
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .slice(0, limit)
        .map(view),
    trim: (unusedMs) => {
      const steps = stepsOf(tables)
      let trimmed = 0
      for (const [key, row] of steps.limits) {
        const isUsed = running(steps, row).length > 0 || waiting(steps, row).length > 0
        if (row.set !== undefined || isUsed || row.usedAt >= database.now() - unusedMs) continue
        steps.limits.delete(key)
        trimmed += 1
      }
      return trimmed
    },
  }
}
