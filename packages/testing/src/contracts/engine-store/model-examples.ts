import fc from 'fast-check'
import { it } from 'vitest'
import type { OpenEngineStore } from './fixture.ts'
import { commands, expectSame, openModel } from './model-commands.ts'

export interface ModelRunOptions {
  /** How many random sequences to try. @default 60 */
  readonly sequences?: number
  /** For repeating a run that failed. Absent: another one each time. */
  readonly seed?: number
  /** Longest sequence. @default 40 */
  readonly maxCommands?: number
}

const TIME_LIMIT_MS = 240_000

export function modelExamples(
  open: OpenEngineStore,
  { sequences = 60, seed, maxCommands = 40 }: ModelRunOptions,
): void {
  it('answers as a simple model does', { timeout: TIME_LIMIT_MS }, async () => {
    const sequence = fc.commands(commands, { maxCommands, size: 'max' })
    const property = fc.asyncProperty(sequence, async (chosen) => {
      const { store, close } = await open()
      try {
        const { model, real } = await openModel(store)
        await fc.asyncModelRun(() => ({ model, real }), chosen)
        await expectSame(model, store)
      } finally {
        await close()
      }
    })
    await fc.assert(property, { numRuns: sequences, ...(seed === undefined ? {} : { seed }) })
  })
}
