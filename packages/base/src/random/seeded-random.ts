import type { Random } from './random.ts'

/** The same numbers for the same seed (SplitMix32). For simulations and property tests; never for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed | 0
  const uint32 = (): number => {
    state = (state + 0x9e3779b9) | 0
    let z = state ^ (state >>> 16)
    z = Math.imul(z, 0x21f0aaad)
    z ^= z >>> 15
    z = Math.imul(z, 0x735a2d97)
    return (z ^ (z >>> 15)) >>> 0
  }
  return {
    next: () => uint32() / 0x1_0000_0000,
    bytes: (count) => Uint8Array.from({ length: count }, () => uint32() & 0xff),
  }
}
