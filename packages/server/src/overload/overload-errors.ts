import { defineError } from '@lockstep/base'

/** Refused at the door: the queue is full, or so old that joining it would be in vain. */
export const TooManyRequests = defineError(
  'TOO_MANY_REQUESTS',
  { retryable: true },
  (d: { waiting: number; retryAfterMs: number }) =>
    `This node has more requests than it can work on (${d.waiting} wait already): send fewer at once, and repeat this one later`,
)

/** Waited for room, and none came in time. Nothing of it was done. */
export const Overloaded = defineError(
  'OVERLOADED',
  { retryable: true },
  (d: { waitedMs: number; retryAfterMs: number }) =>
    `No room for the request came within ${d.waitedMs} ms, and nothing of it was done`,
)
