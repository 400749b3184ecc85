import type { ContractOptions, Skip } from '../contract.ts'
import type { OpenCoordination } from '../harness.ts'
import { electionContract } from './election-contract.ts'
import { fairContract } from './fair-contract.ts'
import { guardContract } from './guard-contract.ts'
import { monitorContract } from './monitor-contract.ts'
import { multiLockContract } from './multi-lock-contract.ts'
import { mutexContract } from './mutex-contract.ts'
import { readWriteContract } from './read-write-contract.ts'
import { reentrantContract } from './reentrant-contract.ts'
import { semaphoreContract } from './semaphore-contract.ts'

type Suite = (provider: string, open: OpenCoordination, options?: ContractOptions) => void

const suites = {
  mutex: mutexContract,
  reentrant: reentrantContract,
  fair: fairContract,
  readWrite: readWriteContract,
  semaphore: semaphoreContract,
  multiLock: multiLockContract,
  election: electionContract,
  guard: guardContract,
  monitor: monitorContract,
} satisfies Record<string, Suite>

export interface PrimitiveContractsOptions {
  /** By suite: examples that cannot hold on this provider. */
  readonly skip?: Readonly<Partial<Record<keyof typeof suites, readonly Skip[]>>>
}

/** Every primitive of the toolkit on one provider. */
export function primitiveContracts(
  provider: string,
  open: OpenCoordination,
  { skip = {} }: PrimitiveContractsOptions = {},
): void {
  for (const [name, suite] of Object.entries(suites) as [keyof typeof suites, Suite][])
    suite(provider, open, { skip: skip[name] ?? [] })
}
