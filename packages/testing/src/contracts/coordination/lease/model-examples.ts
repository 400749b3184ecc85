import fc from 'fast-check'
import type { Bench } from '../bench.ts'
import type { Example } from '../contract.ts'
import { look, MODEL_NAMES, mutexCommands } from './model-commands.ts'
import type { MutexModel } from './mutex-model.ts'

export interface LeaseModelOptions {
  /** How many random sequences to try. @default 25 */
  readonly sequences?: number
  /** For repeating a run that failed. Absent: another one each time. */
  readonly seed?: number
  /** Longest sequence. @default 60 */
  readonly maxCommands?: number
}

const TIME_LIMIT_MS = 240_000

export function modelExamples(
  example: Example<Bench>,
  { sequences = 25, seed, maxCommands = 60 }: LeaseModelOptions,
): void {
  example(
    'answers any sequence of calls as a simple model does',
    async (b) => {
      let run = 0
      const sequence = fc.commands(mutexCommands, { maxCommands, size: 'max' })
      const property = fc.asyncProperty(sequence, async (commands) => {
        run += 1
        const model = newModel(run, b.harness.time === 'virtual')
        const inbox = await b.inbox()
        await fc.asyncModelRun(() => ({ model, real: { b, inbox } }), commands)
        for (const i of MODEL_NAMES.keys()) await look(i).run(model, { b, inbox })
        await inbox.close()
      })
      await fc.assert(property, { numRuns: sequences, ...(seed === undefined ? {} : { seed }) })
    },
    TIME_LIMIT_MS,
  )
}

/** Names of its own for every run: what one leaves behind does not meet the next. */
function newModel(run: number, canElapse: boolean): MutexModel {
  const locks = MODEL_NAMES.map((name) => ({ name: `${name} ${run}`, holder: undefined, queue: [], lastFence: 0n }))
  return { locks, tokens: new Map(), canElapse, tick: 0 }
}
