import {
  healthProviderContract,
  leaseProviderContract,
  lockRegistryContract,
  memberProviderContract,
} from '@lockstep/testing/contracts'
import { openMemory } from './open-memory.ts'

const cannotDie = 'memory of this process ends with the process'

leaseProviderContract('memory', openMemory, {
  model: { sequences: 300 },
  skip: [
    { test: 'raises the fence over a store that lost everything', reason: cannotDie },
    { test: 'raises the fence over a killed and restarted server', reason: cannotDie },
    { test: 'refuses while the store is away, and never guesses', reason: cannotDie },
  ],
})
lockRegistryContract('memory', openMemory)
memberProviderContract('memory', openMemory)
healthProviderContract('memory', openMemory, {
  skip: [{ test: 'says that the store is away when it is', reason: cannotDie }],
})
