import { type Bench, bench } from './bench.ts'
import { type ContractOptions, contract } from './contract.ts'
import type { OpenCoordination } from './harness.ts'
import { batchExamples } from './lease/batch-examples.ts'
import { fenceExamples } from './lease/fence-examples.ts'
import { type LeaseModelOptions, modelExamples } from './lease/model-examples.ts'
import { mutexExamples } from './lease/mutex-examples.ts'
import { namespaceExamples } from './lease/namespace-examples.ts'
import { queueExamples } from './lease/queue-examples.ts'
import { readWriteExamples } from './lease/read-write-examples.ts'
import { referenceExamples } from './lease/reference-examples.ts'
import { semaphoreExamples } from './lease/semaphore-examples.ts'
import { togetherExamples } from './lease/together-examples.ts'

/** What every store of leases does. */
export function leaseProviderContract(
  provider: string,
  open: OpenCoordination,
  options: ContractOptions & { readonly model?: LeaseModelOptions } = {},
): void {
  contract<Bench>(`${provider}: lease provider contract`, open, options, bench, {
    mutex: mutexExamples,
    fences: fenceExamples,
    queue: queueExamples,
    'read/write': readWriteExamples,
    semaphore: semaphoreExamples,
    'several together': togetherExamples,
    batches: batchExamples,
    namespaces: namespaceExamples,
    'any sequence': (example) => {
      modelExamples(example, options.model ?? {})
      referenceExamples(example, options.model ?? {})
    },
  })
}
