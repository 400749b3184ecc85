import type { HealthProvider } from './health/health-provider.ts'
import type { LeaseProvider } from './lease/lease-provider.ts'
import type { MemberProvider } from './member/member-provider.ts'
import type { LockRegistryProvider } from './monitor/lock-registry-provider.ts'

/** Everything the toolkit needs of a store, in small ports. */
/** Connections of a provider at this moment. */
export interface ProviderConnections {
  readonly openCount: number
  /** Calls sent and not answered. */
  readonly inFlightCount: number
  /** Calls that wait for a connection. */
  readonly waitingCount: number
}

export interface CoordinationProvider {
  readonly kind: 'memory' | 'redis' | 'postgres'
  /** `volatile`: leases and fences may vanish with the server (fences still rise). `durable`: they survive its restart. */
  readonly grade: 'volatile' | 'durable'
  readonly leases: LeaseProvider
  readonly registry: LockRegistryProvider
  readonly members: MemberProvider
  readonly health: HealthProvider
  /** What this provider cannot do, each with the reason. Empty for most. */
  readonly lacks: readonly { readonly capability: string; readonly reason: string }[]
  /** What it has open of its own. Absent: nothing, or somebody else counts it. */
  connections?(): ProviderConnections
  /** Ends its connections (those it opened itself). Closing twice is no error. */
  close(): Promise<void>
}
