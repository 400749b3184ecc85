import { describe, expect, it } from 'vitest'
import type { CoordinationHarness, OpenCoordination } from './harness.ts'

export interface ContractOptions {
  /** Examples that cannot hold on this provider. The reason is printed with every run. */
  readonly skip?: readonly Skip[]
}

export interface Skip {
  /** The sentence that names the example. */
  readonly test: string
  readonly reason: string
}

/** Adds one example; each gets an empty store of its own. */
export type Example<Given> = (sentence: string, run: (given: Given) => Promise<void>, timeoutMs?: number) => void

/** Sentences by heading. */
export type Chapters<Given> = Readonly<Record<string, (example: Example<Given>) => void>>

/** Prepares what the examples of a suite start from. */
export type Given<Bench> = (harness: CoordinationHarness) => Bench & { readonly close?: () => Promise<void> }

export function contract<Bench>(
  title: string,
  open: OpenCoordination,
  { skip = [] }: ContractOptions,
  given: Given<Bench>,
  chapters: Chapters<Bench>,
): void {
  describe(title, () => {
    const sentences = new Set<string>()
    const example: Example<Bench> = (sentence, run, timeoutMs) => {
      if (sentences.has(sentence)) throw new Error(`two examples are called "${sentence}"`)
      sentences.add(sentence)
      const skipped = skip.find((each) => each.test === sentence)
      if (skipped !== undefined) {
        it.skip(`${sentence} (not here: ${skipped.reason})`)
        return
      }
      it(sentence, timeoutMs === undefined ? {} : { timeout: timeoutMs }, async () => {
        const harness = await open()
        const prepared = given(harness)
        try {
          await run(prepared)
        } finally {
          await prepared.close?.()
          await harness.close()
        }
      })
    }
    for (const [heading, examples] of Object.entries(chapters)) describe(heading, () => examples(example))

    it('leaves out only examples that exist, and says why', () => {
      expect(skip.filter(({ test }) => !sentences.has(test))).toEqual([])
      expect(skip.filter(({ reason }) => reason.trim().length < 10)).toEqual([])
    })
  })
}
