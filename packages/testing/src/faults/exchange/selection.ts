import { InvalidOption, type Random } from '@lockstep/base'

/** Which of the matching requests a fault strikes. */
export interface Selection {
  /** Lets this many matching requests go first. @default 0 */
  readonly skip?: number
  /** Strikes at most this many; then it lies in force without effect. @default every one until removed */
  readonly times?: number
  /** Strikes each with this probability, drawn from the proxy's `random`. @default 1 */
  readonly chance?: number
}

/** Counts matching requests over all proxies that a fault is used on. */
export function selector(selection: Selection): (random: Random) => boolean {
  const { skip = 0, times = Number.POSITIVE_INFINITY, chance = 1 } = selection
  if (!(skip >= 0)) throw new InvalidOption({ option: 'skip', rule: 'at least 0', value: skip })
  if (!(times > 0)) throw new InvalidOption({ option: 'times', rule: 'above 0', value: times })
  if (!(chance > 0 && chance <= 1))
    throw new InvalidOption({ option: 'chance', rule: 'above 0 and at most 1', value: chance })
  let seen = 0
  let struck = 0
  return (random) => {
    if (seen++ < skip || struck >= times) return false
    if (chance < 1 && random.next() >= chance) return false
    struck++
    return true
  }
}
