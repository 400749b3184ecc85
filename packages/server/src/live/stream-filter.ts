import { DEFAULT_TENANT, type LiveEvent, type LiveTopic } from '@lockstep/engine'

/** Which events one stream carries. */
export interface StreamFilter {
  readonly tenant: string
  /** Absent: all. */
  readonly topics: ReadonlySet<LiveTopic> | undefined
  /** Bare id. Absent: all. */
  readonly instanceId: string | undefined
}

export function passes({ tenant, topics, instanceId }: StreamFilter, event: LiveEvent): boolean {
  // What concerns the cluster is told where the cluster is run from.
  if ((event.tenant ?? DEFAULT_TENANT) !== tenant) return false
  if (topics !== undefined && !topics.has(event.topic)) return false
  return instanceId === undefined || instanceOf(event) === instanceId
}

const keys = new WeakMap<StreamFilter, string>()

/** Equal for filters that let the same events through. */
export function filterKey(filter: StreamFilter): string {
  const known = keys.get(filter)
  if (known !== undefined) return known
  const { tenant, topics, instanceId } = filter
  const key = JSON.stringify([tenant, topics === undefined ? null : [...topics].sort(), instanceId ?? null])
  keys.set(filter, key)
  return key
}

/** Facts are an instance's own, incidents are about one, and so is what instances do with locks. */
export function instanceOf({ topic, subject, data }: LiveEvent): string | undefined {
  if (topic === 'instances') return subject
  if (topic !== 'incidents' && topic !== 'locks') return undefined
  const { instanceId } = (data ?? {}) as { readonly instanceId?: unknown }
  return typeof instanceId === 'string' ? instanceId : undefined
}
