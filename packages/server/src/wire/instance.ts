import { toWireId } from '@lockstep/base'
import { type InstanceState, type InstanceView, isTestTenant } from '@lockstep/engine'
import Type from 'typebox'
import type { ApiContext } from '../route/route.ts'
import { INSTANCE_STATUSES } from './instance-status.ts'
import { iso } from './iso.ts'
import { anything, instant, nullable, oneOf } from './schema.ts'
import { toWireWaits, WaitingFor } from './waiting-for.ts'

export const InstanceId = Type.String({ pattern: '^wfi_[0-9a-fA-F-]{36}$', description: 'wfi_ and a uuid.' })

export const IncidentItem = Type.Object({
  id: Type.String(),
  code: Type.String(),
  message: Type.String(),
  step: nullable('string'),
  at: instant(),
})

export const Instance = Type.Object({
  id: InstanceId,
  definitionId: Type.String(),
  version: Type.Integer(),
  status: oneOf(INSTANCE_STATUSES),
  input: anything('What it was started with.'),
  output: anything('What set-output named, or what the function returned; null until it has completed.'),
  variables: anything('Variables of a graph as they stand; null for functions and in lists.'),
  correlationId: nullable('string'),
  tenant: Type.String(),
  parentId: nullable('string'),
  createdAt: instant(),
  startedAt: instant(),
  finishedAt: instant(),
  nodeId: nullable('string', { description: 'Node that has it in hand.' }),
  waitingFor: Type.Array(WaitingFor, {
    description: 'Lists tell what bookmarks stand for; one instance by itself tells all.',
  }),
  incidents: Type.Array(IncidentItem),
  revision: Type.Integer({ description: 'Number of its last fact.' }),
  error: anything('Why it faulted: code, message, step; else null.'),
  test: Type.Optional(Type.Boolean({ description: 'true: a run of a draft. Absent: a real one.' })),
})

/** Of lists only the view is known: what bookmarks stand for, and no variables. */
export function toWireInstance({ view, variables, waits }: Pick<InstanceState, 'view'> & Partial<InstanceState>) {
  const createdAt = iso(view.createdAt)
  return {
    id: toWireId('instance', view.id),
    definitionId: view.definitionId,
    version: view.version,
    status: view.status,
    input: view.input,
    output: view.output,
    variables: variables ?? null,
    correlationId: view.correlationId ?? null,
    tenant: view.tenant,
    parentId: view.parentId === undefined ? null : toWireId('instance', view.parentId),
    createdAt,
    // Nearly all begin where they are born; the engine does not say when those that queued were first taken up.
    startedAt: view.status === 'queued' ? null : createdAt,
    finishedAt: iso(view.finishedAt),
    nodeId: view.nodeId === undefined ? null : toWireId('node', view.nodeId),
    waitingFor: toWireWaits(view.waitingFor, waits ?? []),
    incidents: view.incidents.map(toWireIncident),
    revision: view.revision,
    error: view.error,
    ...(isTestTenant(view.tenant) ? { test: true } : {}),
  }
}

export const toWireIncident = (incident: InstanceView['incidents'][number]) => ({
  id: toWireId('incident', incident.id),
  code: incident.code,
  message: incident.message,
  step: incident.step ?? null,
  at: iso(incident.at),
})

/** One instance with all there is to say of it. */
export async function readInstance({ engine, tenant }: ApiContext, instanceId: string) {
  return toWireInstance(await engine.state(instanceId, { tenant, exact: true }))
}
