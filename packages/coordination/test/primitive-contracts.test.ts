import { fenceCheckerContract, primitiveContracts } from '@lockstep/testing/contracts'
import { fenceHeaders, fenceVerifier, memoryFenceStore, StaleFence } from '../src/index.ts'
import { openMemory } from './open-memory.ts'

const cannotDie = 'memory of this process ends with the process'

primitiveContracts('memory', openMemory, {
  skip: {
    mutex: [
      { test: 'notices within one life that the store lost the lease', reason: cannotDie },
      { test: 'loses its leases, and refuses new ones, while the store is away', reason: cannotDie },
    ],
  },
})

fenceCheckerContract('memory, behind HTTP headers', async () => {
  const verifier = fenceVerifier(memoryFenceStore())
  const values = new Map<string, string>()
  return {
    write: async (resource, fence, value) => {
      const request = { headers: fenceHeaders({ name: resource, fence }) }
      const verdict = await verifier.protect(request, () => void values.set(resource, value))
      if (verdict.status === 'stale') throw new StaleFence({ resource, fence, seen: verdict.seen })
      if (verdict.status !== 'accepted') throw new Error(verdict.status)
    },
    read: async (resource) => values.get(resource),
    close: async () => {},
  }
})
