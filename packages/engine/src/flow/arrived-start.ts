import type { Arrival, ControlledStart } from './flow-store.ts'

/** Where instances stand that have no place under their policy yet: no worker claims from it. */
export const DOOR_QUEUE = 'flow'

/** Where a start stands under the policy of a revision. */
export type FlowPlace = Pick<ControlledStart, 'revision' | 'keys' | 'priority'>

/** The instance is there, at the door: all else of it stands in the store. */
export function arrivedStart(
  { tenant, instanceId, definitionId, queue }: Omit<Arrival, 'data'>,
  place: FlowPlace,
): ControlledStart {
  return { item: { ...there, tenant, instanceId, definitionId, queue }, ...place, arrived: true }
}

const there = {
  version: undefined,
  correlationId: undefined,
  dedupeKey: undefined,
  parentId: undefined,
  parentStep: undefined,
  claimed: false,
  dueInMs: 0,
  started: { kind: 'started', data: 'null' },
} as const
