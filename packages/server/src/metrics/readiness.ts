/**
 * Which parts of a node are ready, as numbers: what `/health/ready` says, for those who read metrics only. What was found holds for some seconds,
 * and nobody waits long for it: where a part hangs, what was known before is told until the answer is there.
 */
import { type Clock, withTimeout } from '@lockstep/base'
import type { Registry } from 'prom-client'
import type { HealthCheck } from '../health/health.ts'
import { expose, type Sample } from './exposition.ts'

const HOLDS_MS = 5_000
/** Other metrics do not wait for a store that is away. */
const LONGEST_MS = 1_000

export interface ReadinessOptions {
  /** Ends by itself, and soon: it has a limit of its own. */
  readonly read: () => Promise<readonly HealthCheck[]>
  readonly clock: Clock
}

export function exposeReadiness(registry: Registry, options: ReadinessOptions): void {
  expose(
    registry,
    'gauge',
    'lockstep_ready',
    'Whether a part of this node is ready, 1 or 0: the node itself, its database, and what it is slower without.',
    readiness(options),
  )
}

export function readiness({ read, clock }: ReadinessOptions): () => Promise<readonly Sample[]> {
  let known: readonly Sample[] = []
  let asking: Promise<void> | undefined
  let askedAt = Number.NEGATIVE_INFINITY

  const ask = async (): Promise<void> => {
    askedAt = clock.monotonic()
    try {
      known = (await read()).map(({ name, ok }) => ({ labels: { part: name }, value: ok ? 1 : 0 }))
    } finally {
      asking = undefined
    }
  }
  return async () => {
    if (asking === undefined && clock.monotonic() - askedAt >= HOLDS_MS) asking = ask()
    if (asking !== undefined) await withTimeout(clock, LONGEST_MS, 'readiness', asking).catch(() => undefined)
    return known
  }
}
