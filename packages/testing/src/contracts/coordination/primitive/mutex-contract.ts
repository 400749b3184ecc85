import { type ContractOptions, contract } from '../contract.ts'
import type { OpenCoordination } from '../harness.ts'
import { bodyExamples } from './mutex/body-examples.ts'
import { closeExamples } from './mutex/close-examples.ts'
import { holdExamples } from './mutex/hold-examples.ts'
import { inputExamples } from './mutex/input-examples.ts'
import { waitExamples } from './mutex/wait-examples.ts'
import { type PrimitiveBench, primitiveBench } from './primitive-bench.ts'

/** A mutex as its users see it, on any provider. */
export function mutexContract(provider: string, open: OpenCoordination, options: ContractOptions = {}): void {
  contract<PrimitiveBench>(`${provider}: mutex contract`, open, options, primitiveBench, {
    holding: holdExamples,
    waiting: waitExamples,
    'work under the lock': bodyExamples,
    closing: closeExamples,
    'bad input': inputExamples,
  })
}
