import type { Random } from '@lockstep/base'

/** 15 bytes are 20 letters of base64url, without padding, and nobody guesses them. */
const BYTES = 15
const LETTERS = 20
const AT_ONCE = 32

export function newToken(random: Random): string {
  return lettersOf(random.bytes(BYTES))
}

/** Tokens for whoever needs many: made a few at a time, because asking for random bytes costs more than the bytes. */
export class Tokens {
  readonly #random: Random
  #letters = ''
  #used = 0

  constructor(random: Random) {
    this.#random = random
  }

  next(): string {
    if (this.#used === this.#letters.length) {
      this.#letters = lettersOf(this.#random.bytes(BYTES * AT_ONCE))
      this.#used = 0
    }
    this.#used += LETTERS
    return this.#letters.slice(this.#used - LETTERS, this.#used)
  }
}

function lettersOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url')
}
