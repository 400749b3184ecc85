import {
  type Arrival,
  Fenced,
  type FlowLoad,
  type FlowStanding,
  type FlowStore,
  type PumpAnswer,
} from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import {
  admit,
  blockedBy,
  drop,
  freeSlots,
  laneOf,
  lineOf,
  PARKED,
  policyOf,
  release,
  spanMs,
  ticketsOf,
} from './flow-gates.ts'
import { startControlled } from './flow-starts.ts'
import type { FlowPolicyTableRow, TicketTableRow } from './flow-tables.ts'
import type { Synchronous } from './synchronous.ts'
import { keyOf } from './tables.ts'

export function flowTransactions(database: Database): Synchronous<FlowStore> {
  const { tables } = database
  return {
    set: (tenant, id, policy, expected) => {
      if (!tables.definitions.has(keyOf(tenant, id))) return { kind: 'not-found' }
      const row = policyRow(database, tenant, id)
      if (expected !== undefined && expected !== row.revision) return { kind: 'changed', revision: row.revision }
      return { kind: 'set', revision: changePolicy(database, row, { chosen: policy }) }
    },
    declare: (tenant, id, version, policy) => {
      if (policy === undefined && !tables.flowPolicies.has(keyOf(tenant, id))) return
      const row = policyRow(database, tenant, id)
      if ((row.declaredBy ?? 0) > version) return
      changePolicy(database, row, { declared: policy, declaredBy: version })
    },
    get: (tenant, id) => {
      const row = tables.flowPolicies.get(keyOf(tenant, id))
      return row && { ...toRow(row), ...counts(database, row) }
    },
    list: (tenant, after, limit) =>
      [...tables.flowPolicies.values()]
        .filter((row) => row.tenant === tenant && (after === undefined || row.definitionId > after))
        .sort((a, b) => (a.definitionId < b.definitionId ? -1 : 1))
        .slice(0, limit)
        .map(toRow),
    start: (nodeId, starts) => {
      requireNode(database, nodeId)
      freeSlots(database)
      return starts.map((start) => startControlled(database, nodeId, start, false))
    },
    // Not undone with the transaction: simulated user code starts nothing under control.
    startWithin: (_tx, nodeId, start) => {
      freeSlots(database)
      return startControlled(database, nodeId, start, true)
    },
    pump: (nodeId) => {
      requireNode(database, nodeId)
      return pump(database, nodeId)
    },
    standing: (tenant, instanceId) => {
      const ticket = tables.tickets.get(instanceId)
      return ticket?.tenant !== tenant || ticket.state === 'admitted' ? undefined : toStanding(database, ticket)
    },
  }
}

/** A document says with its publication what holds for its starts. */
export function publishPolicy(database: Database, tenant: string, id: string, version: number): void {
  const { document } = database.tables.versions.get(keyOf(tenant, id, version))!
  const { flow } = (document === undefined ? {} : JSON.parse(document)) as { readonly flow?: unknown }
  if (flow === undefined && !database.tables.flowPolicies.has(keyOf(tenant, id))) return
  const declared = flow === undefined ? undefined : JSON.stringify(flow)
  changePolicy(database, policyRow(database, tenant, id), { declared, declaredBy: version })
}

export const isControlled = ({ tables }: Database, tenant: string, definitionId: string): boolean =>
  tables.flowPolicies.get(keyOf(tenant, definitionId))?.policy !== undefined

/** Held back, or still gathering: nothing is wrong with it. */
export const isHeldBack = ({ tables }: Database, instanceId: string): boolean =>
  (tables.tickets.get(instanceId)?.state ?? 'admitted') !== 'admitted'

function requireNode({ tables }: Database, nodeId: string): void {
  const node = tables.nodes.get(nodeId)
  if (node === undefined || node.doomed) throw new Fenced({ nodeId })
}

function policyRow({ tables, now }: Database, tenant: string, definitionId: string): FlowPolicyTableRow {
  const key = keyOf(tenant, definitionId)
  const found = tables.flowPolicies.get(key) ?? {
    ...{ tenant, definitionId, revision: 0, declared: undefined, declaredBy: undefined },
    ...{ chosen: undefined, policy: undefined, updatedAt: now() },
  }
  tables.flowPolicies.set(key, found)
  return found
}

function changePolicy(database: Database, row: FlowPolicyTableRow, change: Partial<FlowPolicyTableRow>): number {
  const { now } = database
  Object.assign(row, change)
  const wanted = row.chosen ?? row.declared
  const policy = wanted === '{}' ? undefined : wanted
  if (policy !== row.policy) Object.assign(row, { policy, revision: row.revision + 1, updatedAt: now() })
  reconsider(database, row)
  return row.revision
}

/** What is gathered ends when the new policy says so, or now where that gathers no more. */
function reconsider(database: Database, row: FlowPolicyTableRow): void {
  const { now, tables } = database
  const { batch, debounce } = policyOf(database, row.tenant, row.definitionId) ?? {}
  for (const ticket of ticketsOf(database, row).filter(({ state }) => state === 'gathering')) {
    const { gathers, since, instanceId, releaseAt } = ticket
    const size = [...tables.flowInputs.values()].filter((input) => input.instanceId === instanceId).length
    if (gathers === 'batch' && batch && size < batch.size) ticket.releaseAt = since + spanMs(batch.wait)
    else if (gathers === 'debounce' && debounce) ticket.releaseAt = Math.min(releaseAt!, now() + spanMs(debounce.wait))
    else ticket.releaseAt = now()
  }
}

function pump(database: Database, nodeId: string): PumpAnswer {
  const { tables, now } = database
  freeSlots(database)
  let admitted = 0
  const arrived: Arrival[] = []
  const ripe = [...tables.tickets.values()].filter((each) => each.state === 'gathering' && each.releaseAt! <= now())
  ripe.sort((a, b) => a.releaseAt! - b.releaseAt! || a.since - b.since || (a.instanceId < b.instanceId ? -1 : 1))
  for (const ticket of ripe) admitted += release(database, nodeId, ticket)
  for (const first of firstOfLanes(database)) admitted += admit(database, first)
  for (const row of [...tables.agenda.values()].filter(({ queue }) => queue === PARKED)) {
    const { instanceId, tenant } = row
    const instance = tables.instances.get(instanceId)!
    const { definitionId, version } = instance
    const kind = tables.definitions.get(keyOf(tenant, definitionId))?.kind
    const queue = kind === 'function' ? `fn/${definitionId}/${version}` : 'default'
    const messages = tables.inbox.get(instanceId) ?? []
    if (messages.some((message) => message.kind === 'cancel' || message.kind === 'terminate')) {
      drop(database, nodeId, instanceId, undefined)
      if (row.queue === PARKED) Object.assign(instance, { queue }) && Object.assign(row, { queue })
      admitted += 1
    } else if (tables.tickets.has(instanceId)) continue
    else if (!isControlled(database, tenant, definitionId)) {
      Object.assign(instance, { queue }) && Object.assign(row, { queue })
      admitted += 1
    } else {
      const data: unknown = JSON.parse(tables.journal.get(instanceId)![0]!.data)
      arrived.push({ tenant, instanceId, definitionId, queue, data })
    }
  }
  const waiting = [...tables.tickets.values()].filter((ticket) => ticket.state !== 'admitted')
  const times = [
    ...waiting.flatMap((ticket) => ticket.releaseAt ?? []),
    ...firstOfLanes(database).map((first) => blockedBy(database, first)?.lookAt ?? now()),
  ]
  return {
    admitted,
    nextInMs: times.length === 0 ? undefined : Math.min(...times) - now(),
    more: false,
    waiting: waiting.map(({ tenant, definitionId }) => ({ tenant, definitionId })),
    arrived,
  }
}

function firstOfLanes(database: Database): TicketTableRow[] {
  const lanes = new Map<string, TicketTableRow>()
  for (const ticket of database.tables.tickets.values())
    if (ticket.state === 'waiting') lanes.set(keyOf(ticket.tenant, ticket.definitionId, laneOf(ticket.keys)), ticket)
  const firsts = [...lanes.values()].map((any) => lineOf(database, any)[0]!)
  return firsts.sort((a, b) => a.rank - b.rank || (a.instanceId < b.instanceId ? -1 : 1))
}

function counts(database: Database, row: FlowPolicyTableRow): Pick<FlowLoad, 'waiting' | 'alive' | 'gathering'> {
  freeSlots(database)
  const of = (state: TicketTableRow['state']): number =>
    ticketsOf(database, row).filter((ticket) => ticket.state === state).length
  return { waiting: of('waiting'), alive: of('admitted'), gathering: of('gathering') }
}

const toRow = ({ tenant, definitionId, revision, declared, chosen, policy, updatedAt }: FlowPolicyTableRow) => ({
  ...{ tenant, definitionId, revision, updatedAt },
  ...{ declared: parsed(declared), chosen: parsed(chosen), policy: parsed(policy) },
})

const parsed = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text))

function toStanding(database: Database, ticket: TicketTableRow): FlowStanding {
  freeSlots(database)
  const blocked = ticket.state === 'waiting' ? blockedBy(database, ticket) : undefined
  const policy = parsed(database.tables.flowPolicies.get(keyOf(ticket.tenant, ticket.definitionId))?.policy)
  const inputs = [...database.tables.flowInputs.values()].filter((row) => row.instanceId === ticket.instanceId)
  return {
    state: ticket.state as 'waiting' | 'gathering',
    blocked: blocked?.by,
    key: blocked === undefined ? (ticket.gather ?? '') : ticket.keys[blocked.by],
    ahead: Math.max(0, lineOf(database, ticket).indexOf(ticket)),
    priority: ticket.priority,
    since: ticket.since,
    movesAt: ticket.releaseAt ?? (blocked?.by === 'rate' ? blocked.lookAt : undefined),
    size: inputs.length,
    policy,
  }
}
