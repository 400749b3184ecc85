import type { ControlledStart } from '@lockstep/engine/ports'

/** Starts under control turned on their side: one array per column, as the function of migration 0013 takes them. */
export interface FlowColumns {
  readonly node: string
  readonly within: boolean
  readonly id: readonly string[]
  readonly tenant: readonly string[]
  readonly definition: readonly string[]
  readonly version: readonly (number | undefined)[]
  /** The version again where it must be the published one. */
  readonly published: readonly (number | undefined)[]
  readonly correlation: readonly (string | undefined)[]
  readonly dedupe: readonly (string | undefined)[]
  readonly parent: readonly (string | undefined)[]
  readonly parentStep: readonly (string | undefined)[]
  readonly queue: readonly string[]
  readonly claimed: readonly boolean[]
  readonly arrived: readonly boolean[]
  readonly revision: readonly number[]
  readonly singleton: readonly string[]
  readonly concurrency: readonly string[]
  readonly rate: readonly string[]
  readonly throttle: readonly string[]
  readonly gather: readonly (string | undefined)[]
  readonly priority: readonly number[]
  readonly data: readonly string[]
}

export function flowColumns(node: string, starts: readonly ControlledStart[], within: boolean): FlowColumns {
  const each = <T>(read: (start: ControlledStart) => T): T[] => starts.map(read)
  return {
    node,
    within,
    id: each(({ item }) => item.instanceId),
    tenant: each(({ item }) => item.tenant),
    definition: each(({ item }) => item.definitionId),
    version: each(({ item }) => item.version),
    published: each(({ item }) => (item.onlyPublished ? item.version : undefined)),
    correlation: each(({ item }) => item.correlationId),
    dedupe: each(({ item }) => item.dedupeKey),
    parent: each(({ item }) => item.parentId),
    parentStep: each(({ item }) => item.parentStep),
    queue: each(({ item }) => item.queue),
    claimed: each(({ item }) => item.claimed),
    arrived: each(({ arrived }) => arrived === true),
    revision: each(({ revision }) => revision),
    singleton: each(({ keys }) => keys.singleton),
    concurrency: each(({ keys }) => keys.concurrency),
    rate: each(({ keys }) => keys.rate),
    throttle: each(({ keys }) => keys.throttle),
    gather: each(({ keys }) => keys.gather),
    priority: each(({ priority }) => priority),
    data: each(({ item }) => item.started.data),
  }
}
