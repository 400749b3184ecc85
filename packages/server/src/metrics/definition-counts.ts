/**
 * What became of the instances of each workflow since the last row was written. Both bounds are small: a node tells a few workflows of a minute apart,
 * those in which most instances ended, and everything else together. Counting finds two maps and adds numbers up.
 */
import type { MeasuredInstance } from '@lockstep/engine'
import { type MetricParts, type MetricSums, OTHER_PARTS, partOfDefinition } from '@lockstep/engine/ports'
import { Buckets, LONG } from './buckets.ts'
import { addSums, endsOf } from './part-sums.ts'

/** Counted apart in one minute; of those beyond only the sum is known. */
const MOST_COUNTED = 200
const MOST_WRITTEN = 20

export class DefinitionCounts {
  #tenants = new Map<string, Map<string, Counted>>()
  #size = 0
  #others: Counted | undefined

  ended(status: string, ms: number, { tenant, definitionId }: MeasuredInstance): void {
    const counted = this.#tenants.get(tenant)?.get(definitionId) ?? this.#begin(tenant, definitionId)
    counted.ended(status, ms)
  }

  /** What came since the last row. */
  peek(): MetricParts {
    const parts: [string, MetricSums][] = []
    for (const [tenant, definitions] of this.#tenants)
      for (const [definitionId, counted] of definitions)
        parts.push([partOfDefinition(tenant, definitionId), counted.sums()])
    parts.sort(([, a], [, b]) => endsOf(b) - endsOf(a))
    const rest = parts.slice(MOST_WRITTEN).map(([, sums]) => sums)
    if (this.#others !== undefined) rest.push(this.#others.sums())
    const named = Object.fromEntries(parts.slice(0, MOST_WRITTEN))
    return rest.length === 0 ? named : { ...named, [OTHER_PARTS]: rest.reduce(addSums) }
  }

  /** The same, and begins anew. */
  take(): MetricParts {
    const parts = this.peek()
    this.#tenants = new Map()
    this.#size = 0
    this.#others = undefined
    return parts
  }

  #begin(tenant: string, definitionId: string): Counted {
    if (this.#size >= MOST_COUNTED) {
      this.#others ??= new Counted()
      return this.#others
    }
    const definitions = this.#tenants.get(tenant) ?? new Map<string, Counted>()
    const counted = new Counted()
    this.#tenants.set(tenant, definitions.set(definitionId, counted))
    this.#size += 1
    return counted
  }
}

/** Of one workflow. */
class Counted {
  readonly #ended: Record<string, number> = { completed: 0, faulted: 0, cancelled: 0, terminated: 0 }
  readonly #durations = new Buckets(LONG)

  ended(status: string, ms: number): void {
    if (this.#ended[status] === undefined) return
    this.#ended[status] += 1
    if (status === 'completed') this.#durations.record(ms / 1_000)
  }

  /** Under the names that `STORED` has for all workflows together. */
  sums(): MetricSums {
    const sums: Record<string, number> = {}
    for (const [status, count] of Object.entries(this.#ended)) if (count > 0) sums[`ended:${status}`] = count
    const upTo = [...this.#durations.cumulative(), this.#durations.count]
    upTo.forEach((count, at) => {
      const inside = count - (upTo[at - 1] ?? 0)
      if (inside > 0) sums[`duration:${this.#durations.bounds[at] ?? '+Inf'}`] = inside
    })
    return sums
  }
}
