/** Randomness, as the rest of the code may see it. The simulator hands out a seeded one. */
export interface Random {
  /** At least 0, below 1. For jitter; never for secrets. */
  next(): number
  /** Unpredictable bytes, fit for tokens and ids. */
  bytes(count: number): Uint8Array
}
