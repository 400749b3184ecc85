import { parseDuration } from '@lockstep/base'
import type { Lease } from '@lockstep/coordination'
import type { StepKey } from '../../journal/fact.ts'
import { lockNameOf } from '../../store/lock-name.ts'
import type { SectionSite } from './critical-section-site.ts'

/** The lock that a section needs. */
export interface Asked {
  readonly lock: string
  readonly ttlMs: number | undefined
}

/** `undefined`: others have had it all the time. */
export async function tryLock(
  { host, shell }: SectionSite,
  step: StepKey,
  { lock, ttlMs }: Asked,
  waitMs: number,
  signal: AbortSignal,
): Promise<Lease | undefined> {
  const { tenant, instanceId, definitionId } = host.identity
  const found = await shell.locks!.mutex(lockNameOf(tenant, lock)).tryAcquire({
    waitMs,
    signal,
    meta: { instanceId, definitionId, step },
    ...(ttlMs === undefined ? {} : { ttlMs }),
  })
  return found.ok ? found : undefined
}

/** A duration as inputs have it. */
export const msOf = (value: unknown): number | undefined =>
  typeof value === 'string' || typeof value === 'number' ? parseDuration(value) : undefined
