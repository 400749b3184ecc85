/** A count that stops somewhere. */
export interface BoundedCount {
  readonly value: number
  /** `false`: not all were looked at, there may be more. */
  readonly exact: boolean
}

export interface Consumer {
  readonly id: string
  readonly name: string
  /** Its newest version that runs the workflow. */
  readonly version: number
  /** Whether the version that new instances of the consumer get is among those that run it. */
  readonly current: boolean
}

/** What depends on a definition: instances that are under way, other workflows that run it, and whose they are. */
export interface DefinitionUsageStore {
  /** Instances of a version that have not ended, among the first `lookAt` of all its instances. */
  pinned(tenant: string, id: string, version: number, lookAt: number): Promise<BoundedCount>
  /** Workflows with a version that runs `id`, by their id. Only graphs say beforehand whom they run. */
  consumers(tenant: string, id: string, after: string | undefined, limit: number): Promise<readonly Consumer[]>
  /** Those that have a published graph, in order. */
  tenants(): Promise<readonly string[]>
}
