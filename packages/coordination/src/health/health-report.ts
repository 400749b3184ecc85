import type { CoordinationProvider } from '../coordination-provider.ts'
import type { Finding } from './health-provider.ts'

/** How this coordinator and its store are. Made for one process: nothing is locked or written to find out. */
export interface HealthReport {
  /** The worst of the findings. */
  readonly level: 'ok' | 'warning' | 'error'
  readonly provider: CoordinationProvider['kind']
  readonly grade: CoordinationProvider['grade']
  readonly reachable: boolean
  readonly server?: string
  readonly version?: string
  /** Median of the calls that were made for this report. */
  readonly roundTripMs?: number
  /** How far the store's clock is ahead of this machine's; right within half a round trip. */
  readonly clockOffsetMs?: number
  readonly findings: readonly Finding[]
}
