import type { Commands } from '../connection/commands.ts'
import { BUCKET_COUNT, type KeySpace } from '../key/key-space.ts'
import { listNames, weedIndex } from '../scripts/scripts.generated.ts'

/** So many names are looked at for as many leases granted: what ends by itself leaves the index as fast as it came. */
const PAGE = 256

/** Walks the indexes in the background of work, never by a timer, and drops names whose lock is gone. */
export class IndexWeeder {
  readonly #space: KeySpace
  readonly #commands: Commands
  #granted = 0
  #isAtWork = false
  #bucket = 0
  #after = ''

  constructor(space: KeySpace, commands: Commands) {
    this.#space = space
    this.#commands = commands
  }

  onGranted(count: number): void {
    this.#granted += count
    if (this.#granted < PAGE || this.#isAtWork) return
    this.#granted = 0
    this.#isAtWork = true
    // Whatever goes wrong is tried again later; the index is for people.
    void this.#weed()
      .catch(() => {})
      .finally(() => {
        this.#isAtWork = false
      })
  }

  /** A page of names, over as many buckets as it takes to fill it. */
  async #weed(): Promise<void> {
    let looked = 0
    for (let bucket = 0; bucket < BUCKET_COUNT && looked < PAGE; bucket += 1) {
      const index = this.#space.indexes[this.#bucket]!
      const from = this.#after === '' ? '[' : `(${this.#after}`
      const names = (await this.#commands.run(listNames, [index], [from, '', String(PAGE - looked)])) as string[]
      if (names.length > 0) {
        const locks = names.map((name) => this.#space.lock(this.#bucket, name))
        await this.#commands.run(weedIndex, [index, ...locks], [String(this.#space.nameFrom)])
      }
      looked += names.length
      const isOver = names.length < PAGE - (looked - names.length)
      this.#after = isOver ? '' : names.at(-1)!
      if (isOver) this.#bucket = (this.#bucket + 1) % BUCKET_COUNT
    }
  }
}
