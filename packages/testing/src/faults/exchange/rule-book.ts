import type { Counters } from '../proxy/counters.ts'
import type { ProxyConnection } from '../proxy/link.ts'
import type { Protocol } from '../proxy/target.ts'
import type { DelayReply, Exchange, Exchanges, Rule, Verdict } from './rule.ts'

/** The rules in force for one protocol, in the order of their use. */
export class RuleBook<E extends Exchange> {
  readonly #rules = new Set<Rule<E>>()
  readonly #counters: Counters

  constructor(counters: Counters) {
    this.#counters = counters
  }

  add(rule: Rule<E>): () => void {
    // Wrapped, so that a rule added twice is removed once at a time.
    const mine: Rule<E> = (subject, connection) => rule(subject, connection)
    this.#rules.add(mine)
    return () => {
      this.#rules.delete(mine)
    }
  }

  /** Delays add up; the first cut decides, and later rules are not asked: the request is theirs no more. */
  judge(subject: E['subject'], connection: ProxyConnection): Verdict<E['reply']> {
    this.#counters.requestsSeen++
    const delays: DelayReply[] = []
    for (const rule of this.#rules) {
      const judgement = rule(subject, connection)
      if (judgement === undefined) continue
      this.#counters.matched++
      if (judgement.do === 'cut') return { cut: judgement, delays }
      delays.push(judgement)
    }
    return { delays }
  }
}

export type RuleBooks = { readonly [P in Protocol]: RuleBook<Exchanges[P]> }

export function openRuleBooks(counters: Counters): RuleBooks {
  return { postgres: new RuleBook(counters), redis: new RuleBook(counters) }
}
