import { type Bench, bench } from './bench.ts'
import { type ContractOptions, contract } from './contract.ts'
import type { OpenCoordination } from './harness.ts'
import { interventionExamples } from './registry/intervention-examples.ts'
import { viewExamples } from './registry/view-examples.ts'

/** What every store of leases shows to those outside, and lets them do. */
export function lockRegistryContract(provider: string, open: OpenCoordination, options: ContractOptions = {}): void {
  contract<Bench>(`${provider}: lock registry contract`, open, options, bench, {
    'what is seen': viewExamples,
    'what is done from outside': interventionExamples,
  })
}
