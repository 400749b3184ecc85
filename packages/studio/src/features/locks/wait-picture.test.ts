import { describe, expect, it } from 'vitest'
import type { LockContention } from './contention-query.ts'
import { BOX, waitPicture } from './wait-picture.ts'

type Given = Pick<LockContention, 'graph' | 'deadlocks'>

const graph = (holds: readonly [string, string][], waits: readonly [string, string][]): Given['graph'] => ({
  parties: [...new Set([...holds, ...waits].map(([party]) => party))].map((id) => ({
    ...{ id, kind: 'instance' as const, name: null, instanceId: id, definitionId: 'flow', owner: null },
  })),
  holds: holds.map(([party, key]) => ({ party, key, fence: '1', since: null })),
  waits: waits.map(([party, key]) => ({ party, key, step: null, since: null })),
  left: 0,
})
const drawn = (given: Given) => {
  const picture = waitPicture(given)
  const at = (id: string) => picture.boxes.find((box) => box.id === id)!
  const marked = picture.arrows.filter(({ isInCircle }) => isInCircle).map(({ id }) => id)
  return { picture, at, marked }
}

describe('the picture of waits', () => {
  it('goes from who waits over the lock to who holds it, however long the chain', () => {
    const { at, marked, picture } = drawn({
      graph: graph(
        [
          ['b', 'x'],
          ['c', 'y'],
        ],
        [
          ['a', 'x'],
          ['b', 'y'],
        ],
      ),
      deadlocks: [],
    })
    const xs = ['party a', 'lock x', 'party b', 'lock y', 'party c'].map((id) => at(id).x)
    expect(xs).toEqual([...xs].sort((a, b) => a - b))
    expect(new Set(xs).size).toBe(5)
    expect(marked).toEqual([])
    expect(picture.width).toBe(xs.at(-1)! + BOX.width)
  })

  it('marks a circle, and nobody who only waits for those in it', () => {
    const { at, marked, picture } = drawn({
      graph: graph(
        [
          ['a', 'x'],
          ['b', 'y'],
        ],
        [
          ['a', 'y'],
          ['b', 'x'],
          ['c', 'x'],
        ],
      ),
      deadlocks: [
        {
          actors: ['a', 'b'],
          certain: true,
          finding: '',
          circle: [
            { party: 'a', key: 'y' },
            { party: 'b', key: 'x' },
          ],
        },
      ],
    })
    expect(
      picture.boxes
        .filter(({ isInCircle }) => isInCircle)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['lock x', 'lock y', 'party a', 'party b'])
    expect([...marked].sort()).toEqual(['lock x > party a', 'lock y > party b', 'party a > lock y', 'party b > lock x'])
    expect(at('party c').x).toBeLessThan(at('lock x').x)
    // One arrow of the circle leads back, below everything.
    const lowest = Math.max(...picture.boxes.map(({ y }) => y + BOX.height))
    expect(picture.arrows.filter(({ path }) => path.includes('Q'))).toHaveLength(1)
    expect(picture.height).toBeGreaterThan(lowest)
  })

  it('draws many who wait alike as one, and says which locks it leaves out', () => {
    const many = Array.from({ length: 30 }, (_, i): [string, string] => [`w${i}`, 'x'])
    const { picture } = drawn({ graph: graph([['h', 'x']], many), deadlocks: [] })
    expect(picture.boxes.filter(({ kind }) => kind === 'party')).toHaveLength(4)
    expect(picture.boxes.find(({ kind }) => kind === 'crowd')).toMatchObject({ count: 27 })
    const wide = Array.from({ length: 20 }, (_, i): [string, string] => [`w${i}`, `k${i}`])
    expect(drawn({ graph: graph([], wide), deadlocks: [] }).picture.leftLocks).toBe(8)
  })

  it('lays nothing over anything else', () => {
    const { picture } = drawn({
      graph: graph(
        [
          ['a', 'x'],
          ['b', 'y'],
          ['d', 'z'],
        ],
        [
          ['a', 'y'],
          ['b', 'x'],
          ['c', 'x'],
          ['e', 'z'],
          ['c', 'z'],
        ],
      ),
      deadlocks: [],
    })
    const places = picture.boxes.map(({ x, y }) => `${x} ${y}`)
    expect(new Set(places).size).toBe(places.length)
  })
})
