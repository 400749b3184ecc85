import { InvalidOption } from '@lockstep/base'

export interface ElectionOptions {
  /** How long a term outlives a leader that died. @default 15_000 */
  readonly ttlMs?: number
  /**
   * Members that must live before anybody leads; a leader of fewer resigns. It is no quorum (the store has that): it keeps
   * a fragment of a cluster from starting work for all. @default 1
   */
  readonly minMembers?: number
  /** First pause after a failure or a resignation; it doubles up to `maxPauseMs`. @default 1_000 */
  readonly pauseMs?: number
  /** @default 30_000 */
  readonly maxPauseMs?: number
  /** How often observers look, and how often `minMembers` is counted. @default 2_000 */
  readonly lookEveryMs?: number
  /** How long work that was told to stop may go on before the office is given up without it. @default `ttlMs` */
  readonly graceMs?: number
  /** Higher is elected first among those who stand; -1000 to 1000. @default 0 */
  readonly priority?: number
  /** Shown to observers and the monitor; at most 4 kB of JSON. */
  readonly meta?: unknown
}

export type ResolvedElectionOptions = Required<Omit<ElectionOptions, 'meta'>> & Pick<ElectionOptions, 'meta'>

export function resolveElectionOptions(options: ElectionOptions = {}): ResolvedElectionOptions {
  const { ttlMs = 15_000, minMembers = 1, pauseMs = 1_000, lookEveryMs = 2_000, priority = 0, meta } = options
  const { maxPauseMs = Math.max(30_000, pauseMs), graceMs = ttlMs } = options
  const rule = (option: string, value: number, holds: boolean, text: string): void => {
    if (!holds) throw new InvalidOption({ option, rule: text, value })
  }
  rule('ttlMs', ttlMs, ttlMs >= 50 && ttlMs <= 86_400_000, 'between 50 ms and a day')
  rule('minMembers', minMembers, Number.isInteger(minMembers) && minMembers >= 1, 'a whole number, at least 1')
  rule('pauseMs', pauseMs, pauseMs >= 10 && pauseMs <= 3_600_000, 'between 10 ms and an hour')
  rule('maxPauseMs', maxPauseMs, maxPauseMs >= pauseMs && maxPauseMs <= 3_600_000, 'between pauseMs and an hour')
  rule('lookEveryMs', lookEveryMs, lookEveryMs >= 10 && lookEveryMs <= 3_600_000, 'between 10 ms and an hour')
  rule('graceMs', graceMs, graceMs >= 0 && graceMs <= 86_400_000, 'between 0 and a day')
  return {
    ttlMs,
    minMembers,
    pauseMs,
    maxPauseMs,
    lookEveryMs,
    graceMs,
    priority,
    ...(meta === undefined ? {} : { meta }),
  }
}
