import type { Commands } from '../connection/commands.ts'
import { BUCKET_COUNT, type KeySpace } from '../key/key-space.ts'
import { listNames, weedIndex } from '../scripts/scripts.generated.ts'

/**
 * So many names are looked at for as many leases that were granted and not released: what ends by itself leaves the index as fast as it came.
 */
const PAGE = 256
/** And as many for this many pages of leases that came and went in order: somebody else may have died with some. */
const PAGES_IN_ORDER = 64

/** Walks the indexes in the background of work, never by a timer, and drops names whose lock is gone. */
export class IndexWeeder {
  readonly #space: KeySpace
  readonly #commands: Commands
  #debt = 0
  #isAtWork = false
  #bucket = 0
  #after = ''

  constructor(space: KeySpace, commands: Commands) {
    this.#space = space
    this.#commands = commands
  }

  onGranted(count: number): void {
    this.#debt += count
    if (this.#debt < PAGE || this.#isAtWork) return
    this.#debt = 0
    this.#isAtWork = true
    // Whatever goes wrong is tried again later; the index is for people.
    void this.#weed()
      .then(
        (dropped) => {
          // Where there was one there are more: on with the next grant.
          if (dropped > 0) this.#debt += PAGE
        },
        () => {},
      )
      .finally(() => {
        this.#isAtWork = false
      })
  }

  onReleased(count: number): void {
    this.#debt = Math.max(0, this.#debt - count * (1 - 1 / PAGES_IN_ORDER))
  }

  /** A page of names, over as many buckets as it takes to fill it. Answers how many were dropped. */
  async #weed(): Promise<number> {
    let looked = 0
    let dropped = 0
    for (let bucket = 0; bucket < BUCKET_COUNT && looked < PAGE; bucket += 1) {
      const index = this.#space.indexes[this.#bucket]!
      const from = this.#after === '' ? '[' : `(${this.#after}`
      const names = (await this.#commands.run(listNames, [index], [from, '', String(PAGE - looked)])) as string[]
      if (names.length > 0) {
        const locks = names.map((name) => this.#space.lock(this.#bucket, name))
        dropped += (await this.#commands.run(weedIndex, [index, ...locks], [String(this.#space.nameFrom)])) as number
      }
      looked += names.length
      const isOver = names.length < PAGE - (looked - names.length)
      this.#after = isOver ? '' : names.at(-1)!
      if (isOver) this.#bucket = (this.#bucket + 1) % BUCKET_COUNT
    }
    return dropped
  }
}
