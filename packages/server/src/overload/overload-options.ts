import { InvalidOption } from '@lockstep/base'

export interface OverloadOptions {
  /** Requests worked on at once; those that only wait for something do not count. @default 1_000 */
  readonly atOnce?: number
  /** Part of `atOnce` that each rank keeps free for those above it. @default 0.1 */
  readonly reserved?: number
  /** Requests of one rank that wait for room. @default 1_000 */
  readonly queued?: number
  /** When the oldest of a queue is older than this, nobody joins it any more. @default 1_000 */
  readonly turnAwayAfterMs?: number
  /** The longest that a request waits for room. @default 5_000 */
  readonly giveUpAfterMs?: number
}

export function resolveOverloadOptions(options: OverloadOptions = {}): Required<OverloadOptions> {
  const { atOnce = 1_000, reserved = 0.1, queued = 1_000, turnAwayAfterMs = 1_000, giveUpAfterMs = 5_000 } = options
  // Three ranks keep room free for others; the last one must have some left.
  if (!Number.isInteger(atOnce) || atOnce < 4)
    throw new InvalidOption({ option: 'overload.atOnce', rule: 'a whole number from 4', value: atOnce })
  if (!(reserved >= 0 && reserved <= 0.25))
    throw new InvalidOption({ option: 'overload.reserved', rule: 'a part from 0 to 0.25', value: reserved })
  if (!Number.isInteger(queued) || queued < 0)
    throw new InvalidOption({ option: 'overload.queued', rule: 'a whole number from 0', value: queued })
  for (const [name, value] of Object.entries({ turnAwayAfterMs, giveUpAfterMs }))
    if (!(value >= 0)) throw new InvalidOption({ option: `overload.${name}`, rule: 'milliseconds from 0', value })
  return { atOnce, reserved, queued, turnAwayAfterMs, giveUpAfterMs }
}
