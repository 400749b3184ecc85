import type { Clock } from '@lockstep/base'
import type { ApiClient, Body, Reply, Wanted } from '../cli/remote/api-client.ts'

/** What a part of the checklist found. */
export interface Finding {
  readonly verdict: 'pass' | 'fail' | 'not run'
  /** Why it failed or was not run; the worst first. */
  readonly reasons: readonly string[]
  readonly figures: Readonly<Record<string, number | string>>
}

export interface Part {
  readonly number: number
  readonly title: string
  run(site: Site): Promise<Finding>
}

/** The cluster under examination, and what the parts may do to it. */
export interface Site {
  /** One for each address, in the order given. */
  readonly nodes: readonly ApiClient[]
  /** Sends to any node; see `balanced.ts`. */
  readonly any: Balanced
  /** Begins every id that is left in the cluster. */
  readonly prefix: string
  readonly rounds: number
  readonly timers: number
  readonly lockLimitMs: number
  readonly killCommand: string | undefined
  readonly restartCommand: string | undefined
  readonly clock: Clock
  /** Unique within the run. */
  key(): string
  progress(text: string): void
  /** Runs a line of the operator's shell; throws with what it said when it fails. */
  shell(command: string, environment: Readonly<Record<string, string>>): Promise<void>
  /** Publishes a workflow, to be retracted at the end. */
  publish(document: Readonly<Record<string, unknown>> & { readonly id: string }): Promise<void>
}

export interface Balanced {
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, wanted?: Wanted): Promise<Reply>
  /** Requests that were sent to another node because the first one did not take them. */
  readonly movedCount: number
}

export type Instance = Body

/** Faults that a part collects while it goes on; it fails when there is one. */
export class Faults {
  readonly #texts = new Map<string, number>()

  add(text: string): void {
    this.#texts.set(text, (this.#texts.get(text) ?? 0) + 1)
  }

  finding(figures: Finding['figures']): Finding {
    const reasons = [...this.#texts]
      .sort((a, b) => b[1] - a[1])
      .map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`))
    return { verdict: reasons.length === 0 ? 'pass' : 'fail', reasons, figures }
  }
}

export const notRun = (reason: string): Finding => ({ verdict: 'not run', reasons: [reason], figures: {} })

/** All of them, at most `width` at a time, in order. */
export async function inParallel<T>(count: number, width: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index)
  }
  await Promise.all(Array.from({ length: Math.min(width, count) }, lane))
  return results
}

/** Of values in any order; 0 of none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0)
}
