import { randomFillSync } from 'node:crypto'
import type { Random } from './random.ts'

const POOL_BYTES = 8192
const pool = new Uint8Array(POOL_BYTES)
let used = POOL_BYTES

/** One call to the operating system serves several hundred ids. */
function bytes(count: number): Uint8Array {
  if (count > POOL_BYTES / 4) return randomFillSync(new Uint8Array(count))
  if (used + count > POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  const taken = pool.slice(used, used + count)
  pool.fill(0, used, used + count)
  used += count
  return taken
}

/** The machine's own randomness. Only compositions and tests may pick it. */
export const systemRandom: Random = { next: () => Math.random(), bytes }
