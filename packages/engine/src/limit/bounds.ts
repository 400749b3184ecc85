import type { Json } from '@lockstep/base'
import type { Fact, Failure } from '../journal/fact.ts'
import type { EngineLimits } from './engine-limits.ts'

/** How much a state may grow, as a share of its limit, before it is measured again: measuring costs as much as it holds. */
const MEASURE_SHARE = 8

/** Counts what one instance in memory does and keeps, and says when it is too much. */
export class Bounds {
  readonly #limits: EngineLimits
  #breach: Failure | undefined
  #burst = 0
  #grown: number

  constructor(limits: EngineLimits) {
    this.#limits = limits
    this.#grown = 0
  }

  /** Why it must stop. It stays: what comes after it counts no more. */
  get breach(): Failure | undefined {
    return this.#breach
  }

  /** A fact was recorded: number `seq` of its journal. */
  count(fact: Fact, seq: number, measure: () => number): void {
    if (this.#breach !== undefined) return
    const { stepsPerBurst, stepsPerInstance, stateBytes } = this.#limits
    this.#burst += 1
    this.#grown += bytesOf(fact)
    if (seq >= stepsPerInstance) {
      this.#breach = {
        code: 'LIMIT_STEPS',
        limit: 'stepsPerInstance',
        message: `Its journal has ${seq} facts, the limit is ${stepsPerInstance}: raise limits.stepsPerInstance and retry, or split the workflow`,
      }
    } else if (this.#burst >= stepsPerBurst) {
      this.#breach = {
        code: 'LIMIT_BURST',
        limit: 'stepsPerBurst',
        message: `It recorded ${this.#burst} facts without coming to rest, the limit is ${stepsPerBurst}: look for a loop that never ends, or raise limits.stepsPerBurst and retry`,
      }
    } else if (this.#grown > stateBytes / MEASURE_SHARE) this.#measure(measure())
  }

  /** It waits for something: the next burst begins with what wakes it. */
  rested(): void {
    this.#burst = 0
  }

  /** After a replay: its size is not known. */
  unmeasured(): void {
    this.#grown = Number.POSITIVE_INFINITY
  }

  #measure(bytes: number): void {
    this.#grown = 0
    const { stateBytes } = this.#limits
    if (bytes <= stateBytes) return
    this.#breach = {
      code: 'LIMIT_STATE',
      limit: 'stateBytes',
      message: `What it must remember is ${bytes} bytes of JSON, the limit is ${stateBytes}: keep large data elsewhere and pass references, or raise limits.stateBytes and retry`,
    }
  }
}

/** About as many as the fact adds to what is kept. */
function bytesOf(fact: Fact): number {
  if (fact.kind === 'completed') return sizeOf(fact.output ?? null) + (fact.assign ? sizeOf(fact.assign) : 0)
  if (fact.kind === 'opened') return sizeOf((fact.items ?? []) as Json)
  return 0
}

function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  let size = 2
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item)
  else for (const key in value) size += key.length + 4 + sizeOf((value as { [key: string]: Json })[key]!)
  return size
}
