/**
 * What one node does with one instance between claiming and giving back is one span, a burst. Steps, waits and commits are below it; the
 * burst itself is below the start, wherever that was.
 */
import { errorMessage, isJsonObject } from '@lockstep/base'
import type { Fact, StepKey } from '../journal/fact.ts'
import type { EngineSpan, EngineTracer } from './engine-tracer.ts'

/** Which attempt of which step runs. */
export interface StepAbout {
  readonly step: StepKey
  readonly attempt: number
  readonly effect: string
  /** A message without the secrets that the instance has read: what is told to a collector leaves the house. */
  readonly withoutSecrets: (text: string) => string
}

export class BurstTrace {
  readonly #tracer: EngineTracer
  readonly #span: EngineSpan
  /** Waits that began in this burst and are not over. */
  readonly #waits = new Map<StepKey, EngineSpan>()
  #commit: EngineSpan | undefined
  #isOver = false

  constructor(tracer: EngineTracer, span: EngineSpan) {
    this.#tracer = tracer
    this.#span = span
  }

  get traceparent(): string {
    return this.#span.traceparent
  }

  async step<T>(about: StepAbout | undefined, run: () => Promise<T>): Promise<T> {
    const { step = 'transaction', ...rest } = about ?? { attempt: 1, effect: 'transactional' }
    const fail = (message: string): void => span.fail(about === undefined ? 'failed' : about.withoutSecrets(message))
    const span = this.#below(`step ${shortName(step)}`, {
      'lockstep.step': step,
      'lockstep.attempt': rest.attempt,
      'lockstep.effect': rest.effect,
    })
    try {
      const answer = await span.within(run)
      const failure = failureOf(answer)
      if (failure !== undefined) fail(failure)
      return answer
    } catch (error) {
      fail(errorMessage(error))
      throw error
    } finally {
      span.end()
    }
  }

  recorded(facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.kind === 'waiting') this.#waits.set(fact.step, this.#wait(fact.step, fact.wait.kind))
      else if (fact.kind === 'completed' || fact.kind === 'failed') this.#ended(fact)
    }
  }

  sent(factCount: number, then: string): void {
    this.#commit = this.#below('commit', { 'lockstep.facts': factCount, 'lockstep.then': then })
  }

  landed(verdict: string): void {
    this.#commit?.set({ 'lockstep.verdict': verdict })
    this.#commit?.end()
    this.#commit = undefined
  }

  /** Told once; what comes after is not heard. */
  end(how: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.landed('unknown')
    for (const wait of this.#waits.values()) {
      wait.set({ 'lockstep.outcome': how })
      wait.end()
    }
    this.#span.set({ 'lockstep.outcome': how })
    if (how === 'faulted' || how === 'lost') this.#span.fail(how)
    this.#span.end()
  }

  #wait(step: StepKey, kind: string): EngineSpan {
    return this.#below(`wait ${shortName(step)}`, { 'lockstep.step': step, 'lockstep.wait': kind })
  }

  /** A wait of an earlier burst is over: that it goes on here is a moment, and a span of its own. */
  #ended(fact: Fact & { kind: 'completed' | 'failed' }): void {
    const by = fact.kind === 'completed' ? fact.by : undefined
    const open = this.#waits.get(fact.step)
    const span =
      open ??
      (by === undefined ? undefined : this.#below(`resume ${shortName(fact.step)}`, { 'lockstep.step': fact.step }))
    this.#waits.delete(fact.step)
    span?.set({ 'lockstep.outcome': fact.kind, ...(by === undefined ? {} : { 'lockstep.by': by }) })
    span?.end()
  }

  #below(name: string, attributes: Readonly<Record<string, string | number>>): EngineSpan {
    return this.#tracer.span(name, { parent: this.#span.traceparent, attributes })
  }
}

/** Without turns and occurrences: names of spans must be few. */
const shortName = (step: StepKey): string => step.replaceAll(/\[\d+\]|#\d+/g, '')

/** Functions answer what an attempt came to; they do not throw it. */
function failureOf(answer: unknown): string | undefined {
  if (!isJsonObject(answer) || answer.kind !== 'failed' || !isJsonObject(answer.error)) return undefined
  return String(answer.error.message)
}
