import { fenceAccepts, memoryFenceStore } from '@lockstep/coordination'
import type { FencedResource } from '../src/index.ts'

/** What the lock lab writes to, as far as a test needs it. */
export function fencedMemory(): FencedResource {
  const marks = memoryFenceStore()
  return {
    async write(name, fence) {
      const seen = await marks.raise(name, fence)
      return fenceAccepts(seen, fence) ? { status: 'written' } : { status: 'refused', seen }
    },
  }
}
