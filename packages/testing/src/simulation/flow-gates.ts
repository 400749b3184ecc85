/** What lets a start in, and what it then gets: the small steps of migration 0013. */
import type { Database } from './database.ts'
import type { FlowKeys, TicketTableRow } from './flow-tables.ts'
import { putMessage, stimulate } from './stimulate.ts'
import { type InstanceTableRow, type JournalTableRow, keyOf } from './tables.ts'

/** The queue of those who wait: no worker claims it. */
export const PARKED = 'flow'
const AGEING_MS = 60_000
const LOOK_AGAIN_MS = 30_000
const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

type Span = string | number
interface Gate {
  readonly key?: unknown
  readonly limit: number
  readonly per: Span
}

/** As `engine.flow` has checked it. */
export interface Policy {
  readonly singleton?: { readonly key?: unknown; readonly onBusy?: string }
  readonly concurrency?: { readonly key?: unknown; readonly limit: number }
  readonly rate?: Gate
  readonly throttle?: Gate
  readonly debounce?: { readonly wait: Span; readonly max?: Span }
  readonly batch?: { readonly size: number; readonly wait: Span }
  readonly ageing?: Span
}

/** The short forms alone: what simulated workflows write. */
export function spanMs(span: Span): number {
  const [, count, unit] = /^([\d.]+)\s*(ms|s|m|h|d)$/.exec(String(span)) ?? []
  return typeof span === 'number' ? span : Number(count) * UNITS[unit as keyof typeof UNITS]
}

export function policyOf({ tables }: Database, tenant: string, definitionId: string): Policy | undefined {
  const text = tables.flowPolicies.get(keyOf(tenant, definitionId))?.policy
  return text === undefined ? undefined : (JSON.parse(text) as Policy)
}

export const leadMs = (policy: Policy, priority: number): number => priority * spanMs(policy.ageing ?? AGEING_MS)

export const laneOf = ({ singleton, concurrency, rate }: FlowKeys): string => keyOf(singleton, concurrency, rate)

type Scope = Pick<TicketTableRow, 'tenant' | 'definitionId'>

export const ticketsOf = ({ tables }: Database, { tenant, definitionId }: Scope): TicketTableRow[] =>
  [...tables.tickets.values()].filter((row) => row.tenant === tenant && row.definitionId === definitionId)

/** How many more may pass a gate now, and when the next one may. */
export function gateOf(
  { tables, now }: Database,
  scope: Scope,
  name: 'rate' | 'throttle',
  key: string,
  { limit, per }: Gate,
): { readonly room: number; readonly opensAt: number } {
  const passes = tables.flowPasses
    .filter((row) => row.tenant === scope.tenant && row.definitionId === scope.definitionId)
    .filter((row) => row.gate === name && row.key === key && row.at > now() - spanMs(per))
    .map((row) => row.at)
    .sort((a, b) => b - a)
  return { room: limit - passes.length, opensAt: (passes[limit - 1] ?? now()) + spanMs(per) }
}

export interface Blocked {
  readonly by: 'singleton' | 'concurrency' | 'rate'
  readonly lookAt: number
}

/** `undefined`: the next one in this lane may go. */
export function blockedBy(database: Database, ticket: TicketTableRow): Blocked | undefined {
  const policy = policyOf(database, ticket.tenant, ticket.definitionId) ?? {}
  const alive = ticketsOf(database, ticket).filter((row) => row.state === 'admitted')
  const lookAt = database.now() + LOOK_AGAIN_MS
  const { singleton, concurrency, rate } = policy
  if (singleton && alive.some((row) => singleton.key === undefined || row.keys.singleton === ticket.keys.singleton))
    return { by: 'singleton', lookAt }
  const same = alive.filter((row) => concurrency?.key === undefined || row.keys.concurrency === ticket.keys.concurrency)
  if (concurrency && same.length >= concurrency.limit) return { by: 'concurrency', lookAt }
  const gate = rate && gateOf(database, ticket, 'rate', ticket.keys.rate, rate)
  return gate && gate.room <= 0 ? { by: 'rate', lookAt: gate.opensAt } : undefined
}

/** Those who wait in one lane, in their order. */
export const lineOf = (database: Database, ticket: TicketTableRow): TicketTableRow[] =>
  ticketsOf(database, ticket)
    .filter((row) => row.state === 'waiting' && laneOf(row.keys) === laneOf(ticket.keys))
    .sort((a, b) => a.rank - b.rank || (a.instanceId < b.instanceId ? -1 : 1))

/** Lets in what may go in the lane of this ticket. `claimer`: who works on it at once, if it is its turn. */
export function admit(database: Database, ticket: TicketTableRow, claimer?: string): number {
  let count = 0
  for (const next of lineOf(database, ticket)) {
    if (blockedBy(database, next) !== undefined) break
    next.state = 'admitted'
    const { tenant, definitionId, keys } = next
    if (policyOf(database, tenant, definitionId)?.rate !== undefined)
      database.tables.flowPasses.push({ tenant, definitionId, gate: 'rate', key: keys.rate, at: database.now() })
    letIn(database, next, next === ticket ? claimer : undefined)
    count += 1
  }
  return count
}

function letIn({ tables, now }: Database, { instanceId, tenant, queue, rank }: TicketTableRow, claimer?: string): void {
  const instance = tables.instances.get(instanceId)!
  instance.queue = queue
  const claimNo = claimer === undefined ? 0 : 1
  if (claimer !== undefined) {
    Object.assign(instance, { status: 'running', claimNo })
    tables.history.push({ kind: 'claimed', instanceId, claimNo, nodeId: claimer })
  }
  const parked = tables.agenda.get(instanceId)
  const dueAt = claimer === undefined ? Math.min(rank, now()) : now()
  if (parked !== undefined) Object.assign(parked, { queue, dueAt: Math.min(parked.dueAt, dueAt) })
  else
    tables.agenda.set(instanceId, {
      ...{ instanceId, tenant, queue, dueAt, claimedBy: claimer, claimNo, crashes: claimNo, stim: 0 },
    })
}

export function writeStarted(
  database: Database,
  nodeId: string,
  instanceId: string,
  claimNo: number,
  data: string,
): void {
  const { tenant } = database.tables.instances.get(instanceId)!
  const first: JournalTableRow = {
    ...{ instanceId, tenant, seq: 1, claimNo, nodeId, kind: 'started', data, at: database.now() },
    position: (BigInt(database.nextTransaction()) << 20n) + 524_289n,
  }
  database.tables.journal.set(instanceId, [first])
}

/** What was gathered, as the first fact. */
export function useGathered({ tables }: Database, { instanceId, gathers }: TicketTableRow): string {
  const rows = [...tables.flowInputs.values()].filter((row) => row.instanceId === instanceId && row.data !== undefined)
  const facts = rows.map((row) => JSON.parse(row.data!) as { readonly input: unknown })
  for (const row of rows) row.data = undefined
  return JSON.stringify(gathers === 'batch' ? { ...facts[0], input: facts.map((fact) => fact.input) } : facts.at(-1))
}

export function release(database: Database, nodeId: string, ticket: TicketTableRow): number {
  writeStarted(database, nodeId, ticket.instanceId, 0, useGathered(database, ticket))
  const policy = policyOf(database, ticket.tenant, ticket.definitionId) ?? {}
  const rank = database.now() - leadMs(policy, ticket.priority)
  Object.assign(ticket, { state: 'waiting', gather: undefined, releaseAt: undefined, rank })
  return admit(database, ticket)
}

/** One that waits leaves the line, so that a worker can end it. `reason`: it is told to stop. */
export function drop(database: Database, nodeId: string, instanceId: string, reason: string | undefined): void {
  const { tables, now } = database
  const ticket = tables.tickets.get(instanceId)
  if (ticket?.state === 'gathering') writeStarted(database, nodeId, instanceId, 0, useGathered(database, ticket))
  if (ticket !== undefined && ticket.state !== 'admitted') {
    tables.tickets.delete(instanceId)
    Object.assign(tables.instances.get(instanceId)!, { queue: ticket.queue, flow: undefined })
    const row = tables.agenda.get(instanceId)
    if (row !== undefined) Object.assign(row, { queue: ticket.queue, dueAt: now() })
  }
  const instance = tables.instances.get(instanceId)
  if (reason === undefined || instance === undefined || instance.finishedAt !== undefined) return
  const isTold = (tables.inbox.get(instanceId) ?? []).some((message) => message.dedupeKey === 'cancel')
  if (!isTold)
    putMessage(database, {
      ...{
        instanceId,
        tenant: instance.tenant,
        kind: 'cancel',
        payload: JSON.stringify({ reason }),
        dedupeKey: 'cancel',
      },
      ...{ bookmarkId: undefined, name: undefined, step: undefined },
    })
  stimulate(database, [instanceId])
}

/** The trigger of `instance`: a slot is free when its instance has ended. */
export function freeSlots({ tables }: Database): void {
  for (const [id, ticket] of tables.tickets) {
    const instance = tables.instances.get(id)
    if (ticket.state !== 'admitted' || instance?.finishedAt === undefined) continue
    instance.flow = ticket.keys
    tables.tickets.delete(id)
  }
}

/** `lockstep_flow_reopen` of migration 0026: an ended instance that is sent back to work waits for a slot as a start does. */
export function reopen(database: Database, instance: InstanceTableRow, queue: string): void {
  const { tables, now } = database
  const { id: instanceId, tenant, definitionId, flow: keys } = instance
  const ticket: TicketTableRow = {
    ...{ tenant, instanceId, definitionId, state: 'waiting', keys: keys!, gather: undefined, gathers: undefined },
    ...{ priority: 0, rank: now(), since: now(), queue, releaseAt: undefined },
  }
  tables.tickets.set(instanceId, ticket)
  admit(database, ticket)
  if (lineOf(database, ticket).includes(ticket)) instance.status = 'queued'
}
