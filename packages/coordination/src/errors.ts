import { defineError } from '@lockstep/base'
import type { LostReason } from './lease/lease.ts'

export const ProviderUnavailable = defineError(
  'PROVIDER_UNAVAILABLE',
  { retryable: true },
  (d: { provider: string; doing: string }) =>
    `${d.provider} cannot be reached (${d.doing}): refused, because running without the lock would be wrong`,
)

export const LeaseLost = defineError(
  'LEASE_LOST',
  { retryable: true },
  (d: { name: string; fence: bigint; reason: LostReason; detail?: string }) =>
    `Lost "${d.name}" (fence ${d.fence}): ${d.reason}${d.detail === undefined ? '' : `, ${d.detail}`}`,
)

export const LockTimeout = defineError(
  'LOCK_TIMEOUT',
  { retryable: true },
  (d: { name: string; waitMs: number; holder?: string }) =>
    `"${d.name}" did not become free within ${d.waitMs} ms${d.holder === undefined ? '' : `; held by ${d.holder}`}`,
)

export const LockKindMismatch = defineError(
  'LOCK_KIND_MISMATCH',
  { retryable: false },
  (d: { name: string; asked: string; inUseAs: string }) =>
    `"${d.name}" is in use as a ${d.inUseAs}, not as a ${d.asked}: give the two locks different names`,
)

export const InvalidLockName = defineError(
  'INVALID_LOCK_NAME',
  { retryable: false },
  (d: { name: string; rule: string }) => `${JSON.stringify(d.name.slice(0, 80))} cannot name a lock: ${d.rule}`,
)

export const TooManyPermits = defineError(
  'TOO_MANY_PERMITS',
  { retryable: false },
  (d: { name: string; weight: number; max: number }) =>
    `"${d.name}" has ${d.max} permits, ${d.weight} can never be had at once`,
)

export const CoordinatorClosed = defineError(
  'COORDINATOR_CLOSED',
  { retryable: false },
  (d: { doing: string }) => `The coordinator is closed: ${d.doing} came too late`,
)

export const StaleFence = defineError(
  'STALE_FENCE',
  { retryable: false },
  (d: { resource: string; fence: bigint; seen?: bigint }) =>
    `"${d.resource}" refused fence ${d.fence}: ${d.seen === undefined ? 'a later one' : d.seen} was there already`,
)
