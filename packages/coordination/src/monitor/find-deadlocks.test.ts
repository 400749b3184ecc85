import { describe, expect, it } from 'vitest'
import type { Share } from '../lease/lease-provider.ts'
import { findDeadlocks, waitsOf } from './find-deadlocks.ts'
import type { LockSnapshot, Stake } from './lock-snapshot.ts'

let tokens = 0
const stake = (text: string, share: Share): Stake => ({
  actor: { id: text, named: !text.startsWith('process') },
  token: String(tokens++),
  share,
})
const mutex = (name: string, holder: string, ...waiters: string[]): LockSnapshot => ({
  name,
  kind: 'mutex',
  holders: [stake(holder, { kind: 'mutex' })],
  waiters: waiters.map((each) => stake(each, { kind: 'mutex' })),
})
const readWrite = (
  name: string,
  holders: [string, 'read' | 'write'][],
  waiters: [string, 'read' | 'write'][],
): LockSnapshot => ({
  name,
  kind: 'read-write',
  holders: holders.map(([who, kind]) => stake(who, { kind })),
  waiters: waiters.map(([who, kind]) => stake(who, { kind })),
})
const semaphore = (
  name: string,
  max: number,
  holders: [string, number][],
  waiters: [string, number][],
): LockSnapshot => ({
  name,
  kind: 'semaphore',
  max,
  holders: holders.map(([who, weight]) => stake(who, { kind: 'permits', weight, max })),
  waiters: waiters.map(([who, weight]) => stake(who, { kind: 'permits', weight, max })),
})
const found = (...locks: LockSnapshot[]) =>
  findDeadlocks(waitsOf(locks)).map(({ actors, circle }) => ({
    actors: actors.map((each) => each.id).sort(),
    circle: circle.map((wait) => `${wait.actor.id}>${wait.lock.name}`),
  }))

describe('deadlocks', () => {
  it('finds two who hold what the other wants, and not those who only wait for them', () => {
    const deadlocks = found(mutex('A', 'x', 'y', 'bystander'), mutex('B', 'y', 'x'), mutex('C', 'free', 'z'))
    expect(deadlocks).toHaveLength(1)
    expect(deadlocks[0]!.actors).toEqual(['x', 'y'])
    expect(deadlocks[0]!.circle.sort()).toEqual(['x>B', 'y>A'])
  })

  it('finds nothing in a chain, however long', () => {
    const chain = Array.from({ length: 3_000 }, (_, i) => mutex(`lock-${i}`, `actor-${i}`, `actor-${i + 1}`))
    expect(found(...chain)).toEqual([])
    expect(found(...chain, mutex('last', 'actor-3000', 'actor-0'))[0]!.circle).toHaveLength(3_001)
  })

  it('looks at each link of a chain a few times, whatever their order', () => {
    let looks = 0
    const chain = Array.from({ length: 3_000 }, (_, i) => mutex(`lock-${i}`, `actor-${i}`, `actor-${i + 1}`))
    const waits = waitsOf(chain.reverse()).map((wait) => ({
      ...wait,
      get holders() {
        looks += 1
        return wait.holders
      },
    }))
    expect(findDeadlocks(waits)).toEqual([])
    expect(looks).toBeLessThan(10 * waits.length)
  })

  it('names a task that waits for itself, but lets two tasks of one process wait for each other', () => {
    expect(found(mutex('A', 'x', 'x'))).toEqual([{ actors: ['x'], circle: ['x>A'] }])
    expect(found(mutex('A', 'process p', 'process p'))).toEqual([])
  })

  it('sees a circle through the queue: nobody overtakes', () => {
    // y holds B and stands behind x in the queue of A; x wants B, z holds A and would go on.
    expect(found(mutex('A', 'z', 'x', 'y'), mutex('B', 'y', 'x'))).toHaveLength(1)
    expect(found(mutex('A', 'z', 'y', 'x'), mutex('B', 'y', 'x'))).toEqual([])
  })

  it('knows that readers share, and in which order phases come', () => {
    expect(found(readWrite('A', [['x', 'read']], [['y', 'write']]), mutex('B', 'y', 'x'))).toHaveLength(1)
    // Two readers that both want to write: each waits for the other.
    expect(
      found(
        readWrite(
          'A',
          [
            ['x', 'read'],
            ['y', 'read'],
          ],
          [
            ['x', 'write'],
            ['y', 'write'],
          ],
        ),
      ),
    ).toHaveLength(1)
    // x waits behind the writer w, who waits for reader y, who waits for what x holds.
    expect(
      found(
        readWrite(
          'A',
          [['y', 'read']],
          [
            ['w', 'write'],
            ['x', 'read'],
          ],
        ),
        mutex('B', 'x', 'y'),
      ),
    ).toHaveLength(1)
    // With a writer inside, readers go next, whoever queued before them.
    expect(
      found(
        readWrite(
          'A',
          [['free', 'write']],
          [
            ['w', 'write'],
            ['x', 'read'],
          ],
        ),
        mutex('B', 'x', 'w'),
      ),
    ).toEqual([])
  })

  it('takes it for no deadlock when any holder of a semaphore can make room', () => {
    const wantsBack = mutex('B', 'x', 'y')
    expect(
      found(
        semaphore(
          'S',
          2,
          [
            ['y', 1],
            ['free', 1],
          ],
          [['x', 1]],
        ),
        wantsBack,
      ),
    ).toEqual([])
    expect(
      found(
        semaphore(
          'S',
          2,
          [
            ['y', 1],
            ['free', 1],
          ],
          [['x', 2]],
        ),
        wantsBack,
      ),
    ).toHaveLength(1)
    expect(found(semaphore('S', 2, [['y', 2]], [['x', 1]]), wantsBack)).toHaveLength(1)
  })

  it('tells two circles apart', () => {
    const two = found(mutex('A', 'x', 'y'), mutex('B', 'y', 'x'), mutex('C', 'u', 'v'), mutex('D', 'v', 'u'))
    expect(two.map((each) => each.actors)).toEqual([
      ['x', 'y'],
      ['u', 'v'],
    ])
  })
})
