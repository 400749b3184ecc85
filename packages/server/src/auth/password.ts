/**
 * Passwords of local users: scrypt with N = 2^17, r = 8, p = 1, which takes 128 MiB and some tenths of a second for each guess. The
 * hash names its parameters, so that they can rise later. At most two are computed at once: sign-ins cannot take the node's memory.
 */
import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import type { Random } from '@lockstep/base'

export const DEFAULT_COST = 17
const [BLOCK, PARALLEL, KEY_BYTES, SALT_BYTES] = [8, 1, 32, 16]
const AT_ONCE = 2
const FORM = /^scrypt\$(\d{2})\$8\$1\$([A-Za-z0-9_-]{22})\$([A-Za-z0-9_-]{43})$/

export interface Passwords {
  hash(password: string): Promise<string>
  /** Works as long for a user that is not there (`undefined`) as for one that is. */
  verify(password: string, hash: string | undefined): Promise<boolean>
}

export function passwords(random: Random, cost: number = DEFAULT_COST): Passwords {
  const turns = new Turns(AT_ONCE)
  const derive = (password: string, salt: Buffer, log2: number): Promise<Buffer> =>
    turns.take(() => derived(password, salt, { N: 2 ** log2, r: BLOCK, p: PARALLEL, maxmem: 2 ** log2 * BLOCK * 160 }))
  const blank = Buffer.alloc(SALT_BYTES)
  return {
    hash: async (password) => {
      const salt = Buffer.from(random.bytes(SALT_BYTES))
      const key = await derive(password, salt, cost)
      return `scrypt$${cost}$${BLOCK}$${PARALLEL}$${salt.toString('base64url')}$${key.toString('base64url')}`
    },
    verify: async (password, hash) => {
      const found = hash === undefined ? null : FORM.exec(hash)
      if (found === null) {
        await derive(password, blank, cost)
        return false
      }
      const key = await derive(password, Buffer.from(found[2]!, 'base64url'), Number(found[1]))
      return timingSafeEqual(key, Buffer.from(found[3]!, 'base64url'))
    },
  }
}

function derived(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  // One text has several spellings in Unicode: keyboards differ, the person means the same.
  const text = password.normalize('NFKC')
  return new Promise((resolve, reject) => {
    scrypt(text, salt, KEY_BYTES, options, (error, key) => (error === null ? resolve(key) : reject(error)))
  })
}

/** So many at once; the others wait in order. */
class Turns {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(atOnce: number) {
    this.#free = atOnce
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}
