import type { Page } from '@lockstep/engine/ports'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromCursor } from '../request/cursor.ts'
import { toList } from './list.ts'

/** A list of numbers that fit a filter, in a store that looks at so many rows at a time. */
function read(all: readonly number[], fits: (n: number) => boolean, look: number, limit: number, text?: string | null) {
  const cursor = fromCursor(text ?? undefined, 'f', /^\d+$/)
  const from = cursor === undefined ? undefined : Number(cursor.key)
  const back = cursor?.back === true
  const side = back ? all.filter((n) => n < from!).reverse() : all.filter((n) => from === undefined || n > from)
  const looked = side.slice(0, look)
  const found = looked.filter(fits).slice(0, limit + 1)
  const page: Page<number> = {
    rows: back ? found.reverse() : found,
    lookedTo: found.length <= limit && looked.length === look ? String(looked.at(-1)) : undefined,
  }
  return toList(page, (n) => n, { cursor, limit, filter: 'f', key: String })
}

describe('a list', () => {
  it('is gone through forwards and back, each item once, whatever is filtered out', () => {
    const numbers = fc.uniqueArray(fc.nat(500), { maxLength: 60 }).map((list) => list.sort((a, b) => a - b))
    fc.assert(
      fc.property(
        numbers,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 7 }),
        (all, every, look, limit) => {
          const fits = (n: number): boolean => n % every === 0
          const wanted = all.filter(fits)
          let page = read(all, fits, look, limit)
          const pages = [page.items]
          while (page.page.next !== null) {
            page = read(all, fits, look, limit, page.page.next)
            pages.push(page.items)
          }
          expect(pages.flat()).toEqual(wanted)
          expect(page.count).toEqual({ value: wanted.length, exact: true })

          // From the last page that shows something, back to the beginning.
          const backward = [page.items]
          while (page.page.prev !== null) {
            page = read(all, fits, look, limit, page.page.prev)
            backward.unshift(page.items)
          }
          if (pages.at(-1)!.length > 0) expect(backward.flat()).toEqual(wanted)
        },
      ),
    )
  })

  it('says at least how many there are, never more than there are', () => {
    const all = [1, 2, 3, 4, 5, 6, 7]
    expect(read(all, () => true, 100, 3).count).toEqual({ value: 4, exact: false })
    // Nothing was found in what was looked at: there may be none at all.
    expect(read(all, (n) => n > 100, 3, 3).count).toEqual({ value: 0, exact: false })
    const first = { rows: [1, 2, 3, 4], lookedTo: undefined, count: { value: 10_000, exact: false } }
    const place = { limit: 3, filter: 'f', key: String }
    const page = toList(first, (n) => n, { ...place, cursor: undefined })
    expect(page.count).toEqual({ value: 10_000, exact: false })
    const cursor = fromCursor(page.page.next!, 'f', /^\d+$/)
    const onward = toList({ rows: [4, 5, 6, 7], lookedTo: undefined }, (n) => n, { ...place, cursor })
    expect(onward.count).toEqual({ value: 10_000, exact: false })
    const end = toList({ rows: [4], lookedTo: undefined }, (n) => n, { ...place, cursor })
    expect(end.count).toEqual({ value: 4, exact: true })
  })

  it('leads back to the page that it came from', () => {
    const all = [1, 2, 3, 4, 5, 6, 7]
    const first = read(all, () => true, 100, 3)
    const second = read(all, () => true, 100, 3, first.page.next)
    const back = read(all, () => true, 100, 3, second.page.prev)
    expect([first.page.prev, back.items, back.page.prev]).toEqual([null, [1, 2, 3], null])
    expect(read(all, () => true, 100, 3, back.page.next).items).toEqual([4, 5, 6])
  })
})
