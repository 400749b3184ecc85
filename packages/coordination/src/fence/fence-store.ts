import { fenceAccepts } from './check-fence.ts'

/** Remembers the highest fence that each resource has seen. */
export interface FenceStore {
  /**
   * Compares and raises in one step that nothing can come between. Answers the highest fence seen before; the write is
   * refused when that is above `fence` (and the mark stays).
   */
  raise(resource: string, fence: bigint): Promise<bigint | undefined>
}

/**
 * For a resource that one process owns. A mark is never dropped, because a forgotten one would let a late write in:
 * name resources that are few, or keep the mark beside the data instead.
 */
export function memoryFenceStore(): FenceStore {
  const marks = new Map<string, bigint>()
  return {
    raise: async (resource, fence) => {
      const seen = marks.get(resource)
      if (fenceAccepts(seen, fence)) marks.set(resource, fence)
      return seen
    },
  }
}
