/** What readers see of an instance that this node started, kept in hand, and has just ended: the store would say the same. */
import type { Json } from '@lockstep/base'
import type { InstanceView } from '../store/instance-reader.ts'
import type { Ended, InstanceIdentity } from '../worker/execution.ts'

export interface Birth {
  /** Moment of its first commit. */
  readonly at: number
  readonly input: Json
}

/** Nobody has it in hand any more, and it waits for nothing: both went with the commit of its end. */
export function lastView(
  identity: InstanceIdentity,
  birth: Birth,
  { status, output, error }: Ended,
  finishedAt: number,
  revision: number,
): InstanceView {
  return {
    tenant: identity.tenant,
    id: identity.instanceId,
    definitionId: identity.definitionId,
    version: identity.version,
    status,
    correlationId: identity.correlationId,
    parentId: identity.parentId,
    input: birth.input,
    output: status === 'completed' ? output : null,
    error: error ?? null,
    createdAt: birth.at,
    finishedAt,
    nodeId: undefined,
    dueAt: undefined,
    waitingFor: [],
    incidents: [],
    revision,
  }
}
