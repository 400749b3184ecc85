/** `lockstep_flow_start` of migration 0013. */
import type { ControlledStart, FlowVerdict } from '@lockstep/engine/ports'
import { isDuplicate, startVerdict, versionOf } from './commit-transaction.ts'
import type { Database } from './database.ts'
import {
  admit,
  drop,
  gateOf,
  leadMs,
  PARKED,
  type Policy,
  policyOf,
  release,
  spanMs,
  ticketsOf,
  writeStarted,
} from './flow-gates.ts'
import type { TicketTableRow } from './flow-tables.ts'
import { keyOf } from './tables.ts'

export function startControlled(
  database: Database,
  nodeId: string,
  start: ControlledStart,
  within: boolean,
): FlowVerdict {
  const { tables, now } = database
  const { item, keys, revision } = start
  const { tenant, definitionId, instanceId } = item
  const before = start.arrived ? undefined : (doneBefore(database, nodeId, start) ?? duplicateOf(database, start))
  if (before !== undefined) return before
  const row = tables.flowPolicies.get(keyOf(tenant, definitionId))
  const policy = policyOf(database, tenant, definitionId)
  const version = versionOf(database, item)
  if (version === undefined) return { kind: 'unknown-definition' }
  if (policy === undefined) return { kind: start.arrived ? 'changed' : 'plain' }
  if (row?.revision !== revision || (start.arrived && tables.tickets.has(instanceId))) return { kind: 'changed' }

  const merges = item.parentId === undefined && !start.arrived
  const replaced =
    policy.singleton?.onBusy === 'replace' ? livingWith(database, start, policy).map((row) => row.instanceId) : []
  const refused = refusal(database, nodeId, start, policy, merges)
  if (refused !== undefined) return refused
  if (policy.throttle) tables.flowPasses.push({ tenant, definitionId, gate: 'throttle', key: keys.throttle, at: now() })
  if (keys.gather !== undefined && merges) return gather(database, nodeId, start, policy, version)

  if (start.arrived) {
    if (tables.instances.get(instanceId)?.queue !== PARKED) return { kind: 'changed' }
    if (tables.agenda.get(instanceId)?.stim === 0) tables.agenda.delete(instanceId)
  } else insertParked(database, start, version)
  const ticket = insertTicket(database, start, policy, 'waiting')
  const count = admit(database, ticket, item.claimed && !within ? nodeId : undefined)
  const isIn = ticket.state === 'admitted'
  const woken = count > (isIn ? 1 : 0) || replaced.length > 0
  const here = isIn && item.claimed && !within
  if (!start.arrived) writeStarted(database, nodeId, instanceId, here ? 1 : 0, item.started.data)
  return isIn ? { kind: 'started', version, here, at: now(), woken } : { kind: 'queued', version, replaced, woken }
}

/** What this very start has become: its answer was lost. */
function doneBefore({ tables, now }: Database, nodeId: string, { item }: ControlledStart): FlowVerdict | undefined {
  const { instanceId } = item
  const instance = tables.instances.get(instanceId)
  const gathered = tables.flowInputs.get(instanceId)
  if (gathered !== undefined) return { kind: 'gathered', instanceId: gathered.instanceId, woken: false }
  if (instance === undefined) return undefined
  const { version } = instance
  if (tables.tickets.get(instanceId)?.state === 'waiting')
    return { kind: 'queued', version, replaced: [], woken: false }
  const row = tables.agenda.get(instanceId)
  const here = row?.claimedBy === nodeId && row.claimNo === 1
  return { kind: 'started', version, here, at: now(), woken: false }
}

function duplicateOf(database: Database, { item }: ControlledStart): FlowVerdict | undefined {
  const { tenant, definitionId, dedupeKey } = item
  if (dedupeKey === undefined) return undefined
  const verdict = isDuplicate(database, item) ? startVerdict(database, item) : undefined
  if (verdict?.kind === 'duplicate') return verdict
  const input = [...database.tables.flowInputs.values()].find(
    (row) => row.tenant === tenant && row.definitionId === definitionId && row.dedupeKey === dedupeKey,
  )
  return input && { kind: 'duplicate', instanceId: input.instanceId }
}

function refusal(
  database: Database,
  nodeId: string,
  { item, keys, arrived }: ControlledStart,
  policy: Policy,
  merges: boolean,
): FlowVerdict | undefined {
  const { throttle, singleton } = policy
  const turnAway = (reason: string): void => {
    if (!arrived) return
    database.tables.instances.get(item.instanceId)!.queue = item.queue
    const row = database.tables.agenda.get(item.instanceId)
    if (row !== undefined) row.queue = item.queue
    drop(database, nodeId, item.instanceId, reason)
  }
  const gate = throttle && gateOf(database, item, 'throttle', keys.throttle, throttle)
  if (gate && gate.room <= 0) {
    turnAway('its workflow was started more often than its throttle allows')
    return { kind: 'throttled', retryInMs: gate.opensAt - database.now() }
  }
  const live = livingWith(database, { item, keys }, policy)
  const [first] = live
  if (singleton === undefined || first === undefined) return undefined
  const { onBusy = 'reject' } = singleton
  if (onBusy === 'attach' && merges) return { kind: 'attached', instanceId: first.instanceId }
  if (onBusy === 'replace')
    for (const row of live) drop(database, nodeId, row.instanceId, `replaced by ${item.instanceId}`)
  if (onBusy !== 'reject') return undefined
  turnAway('another instance of its workflow was running')
  return { kind: 'busy', instanceId: arrived ? item.instanceId : first.instanceId }
}

/** Those that a singleton counts, the ones that were let in first. */
const livingWith = (
  database: Database,
  { item, keys }: Pick<ControlledStart, 'item' | 'keys'>,
  { singleton }: Policy,
): TicketTableRow[] =>
  ticketsOf(database, item)
    .filter((row) => singleton?.key === undefined || row.keys.singleton === keys.singleton)
    .sort((a, b) =>
      a.state < b.state ? -1 : a.state > b.state ? 1 : a.rank - b.rank || (a.instanceId < b.instanceId ? -1 : 1),
    )

function gather(
  database: Database,
  nodeId: string,
  start: ControlledStart,
  policy: Policy,
  version: number,
): FlowVerdict {
  const { tables, now } = database
  const { item, keys } = start
  const { tenant, definitionId, dedupeKey } = item
  let woken = false
  let ticket = ticketsOf(database, item).find((row) => row.state === 'gathering' && row.gather === keys.gather)
  if (ticket !== undefined && (ticket.gathers === 'batch') !== (policy.batch !== undefined)) {
    woken = release(database, nodeId, ticket) > 0
    ticket = undefined
  }
  if (ticket === undefined) {
    insertParked(database, { ...start, item: { ...item, dedupeKey: undefined } }, version)
    ticket = insertTicket(database, start, policy, 'gathering')
  }
  const { instanceId, since } = ticket
  tables.instances.get(instanceId)!.version = version
  const { batch, debounce } = policy
  const releaseAt =
    batch !== undefined
      ? since + spanMs(batch.wait)
      : Math.min(now() + spanMs(debounce!.wait), debounce?.max === undefined ? Infinity : since + spanMs(debounce.max))
  Object.assign(ticket, { keys, queue: item.queue, priority: Math.max(ticket.priority, start.priority), releaseAt })
  const data = item.started.data
  tables.flowInputs.set(item.instanceId, { id: item.instanceId, tenant, definitionId, instanceId, dedupeKey, data })
  const size = [...tables.flowInputs.values()].filter((row) => row.instanceId === instanceId).length
  if (batch !== undefined && size >= batch.size) woken = release(database, nodeId, ticket) > 0 || woken
  return { kind: 'gathered', instanceId, woken }
}

function insertTicket(
  { tables, now }: Database,
  { item, keys, priority }: ControlledStart,
  policy: Policy,
  state: TicketTableRow['state'],
): TicketTableRow {
  const { tenant, instanceId, definitionId, queue } = item
  const gathers = state === 'gathering' ? (policy.batch === undefined ? 'debounce' : 'batch') : undefined
  const ticket: TicketTableRow = {
    ...{ tenant, instanceId, definitionId, state, keys, gather: keys.gather, gathers, priority, queue },
    ...{ rank: gathers === undefined ? now() - leadMs(policy, priority) : now(), since: now(), releaseAt: undefined },
  }
  tables.tickets.set(instanceId, ticket)
  return ticket
}

function insertParked({ tables, now }: Database, { item }: ControlledStart, version: number): void {
  const { instanceId: id, tenant, definitionId, correlationId, dedupeKey, parentId, parentStep } = item
  tables.instances.set(id, {
    ...{ id, tenant, definitionId, version, correlationId, dedupeKey, parentId, parentStep, queue: PARKED },
    ...{ createdAt: now(), status: 'queued', finishedAt: undefined, lastSeq: 1, claimNo: 0 },
    ...{ snapshotSeq: 0, snapshotAt: undefined, snapshot: undefined },
  })
}
