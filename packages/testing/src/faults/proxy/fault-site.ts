import type { Clock, Random } from '@lockstep/base'
import type { Exchanges, Rule } from '../exchange/rule.ts'
import type { Counters } from './counters.ts'
import type { Visit } from './links.ts'
import type { Protocol, Target } from './target.ts'

/** What a fault may touch of the proxy that it is used on. Every change comes with the function that takes it back. */
export interface FaultSite {
  readonly address: Target
  readonly clock: Clock
  readonly random: Random
  readonly counters: Counters
  /** Visits the connections there are, then each new one before its first byte. */
  eachLink(visit: Visit): () => void
  /** Stops listening. The port listens again when every fault that shut it has taken that back. */
  shutPort(): () => Promise<void>
  /** Has a say on every request of a protocol. Throws INVALID_OPTION when the proxy follows another one. */
  judge<P extends Protocol>(protocol: P, rule: Rule<Exchanges[P]>): () => void
}
