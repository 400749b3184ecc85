import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inOrder } from './in-order.ts'

it('sorts by name, keeps equal ones in their order, and brings answers back to their requests', () => {
  const request = fc.record({ name: fc.constantFrom('a', 'b', 'B', 'ä', '\u{1f512}', ''), id: fc.nat() })
  fc.assert(
    fc.property(fc.array(request), (requests) => {
      const { items, restore } = inOrder(requests)
      expect(restore(items)).toEqual(requests)
      for (const [i, item] of items.entries()) {
        const before = items[i - 1]
        if (before === undefined) continue
        expect(before.name <= item.name).toBe(true)
        if (before.name === item.name) expect(requests.indexOf(before)).toBeLessThanOrEqual(requests.indexOf(item))
      }
    }),
  )
})
