import { memoryProvider } from '@lockstep/coordination'
import fc from 'fast-check'
import type { Bench } from '../bench.ts'
import type { Example } from '../contract.ts'
import type { LeaseModelOptions } from './model-examples.ts'
import { type Asked, pairCommands } from './reference-commands.ts'

const TIME_LIMIT_MS = 240_000

export function referenceExamples(
  example: Example<Bench>,
  { sequences = 25, seed, maxCommands = 60 }: LeaseModelOptions,
): void {
  example(
    'answers any sequence of calls on all kinds of locks as the memory provider does',
    async (b) => {
      const memory = memoryProvider({ clock: b.harness.clock })
      let run = 0
      const sequence = fc.commands(pairCommands, { maxCommands, size: 'max' })
      const property = fc.asyncProperty(sequence, async (commands) => {
        run += 1
        const asked: Asked = { suffix: `${run}`, slots: new Map() }
        const tested = { provider: b.provider, inbox: await b.inbox() }
        const reference = { provider: memory, inbox: await b.inbox(memory) }
        await fc.asyncModelRun(() => ({ model: asked, real: { b, tested, reference } }), commands)
        await tested.inbox.close()
        await reference.inbox.close()
      })
      await fc.assert(property, { numRuns: sequences, ...(seed === undefined ? {} : { seed }) })
      await memory.close()
    },
    TIME_LIMIT_MS,
  )
}
