import { defineError } from '@lockstep/base'

export const InvalidPart = defineError(
  'INVALID_PART',
  { retryable: false },
  (d: { step: string; number: number; rule: string }) =>
    `Part ${d.number} of step "${d.step}" cannot be handed out: ${d.rule}`,
)

export const TooManyParts = defineError(
  'TOO_MANY_PARTS',
  { retryable: false },
  (d: { step: string; most: number }) =>
    `Step "${d.step}" hands out more than the ${d.most} parts that an instance may have: put more into each`,
)
