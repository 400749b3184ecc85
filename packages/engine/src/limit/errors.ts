import { defineError } from '@lockstep/base'

export const BreakerOpen = defineError(
  'BREAKER_OPEN',
  { retryable: true },
  (d: { key: string; step: string; forMs: number; reason?: string }) =>
    `Breaker "${d.key}" is open, so step "${d.step}" was not tried; it lets a probe through in ${Math.ceil(d.forMs / 1_000)} s${d.reason === undefined ? '' : ` (opened after ${d.reason})`}`,
)
