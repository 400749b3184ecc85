import { toWireId } from '@lockstep/base'
import type { LockView } from '@lockstep/coordination'
import type { LockWaiter } from '@lockstep/engine/ports'
import { describe, expect, it } from 'vitest'
import { readWaitGraph } from './read-wait-graph.ts'
import { waitGraph } from './wait-graph.ts'

const id = (number: number): string => `01a1e949-5bbf-70df-8a3a-00000000000${number}`
const wire = (number: number): string => toWireId('instance', id(number))
let tokens = 0

/** A lock that a step of an instance holds, or a task that called itself so. */
const held = (name: string, by: { instance?: number; step?: string; owner?: string }, waiting = 0): LockView => {
  const meta = by.instance === undefined ? { owner: by.owner } : { instanceId: id(by.instance), step: by.step }
  const holder = { nodeId: 'n1', node: 'node-1', pid: 1, host: 'h', meta }
  const lease = { lock: name, token: String(tokens++), share: { kind: 'mutex' as const }, fence: 7n }
  return {
    ...{ name, kind: 'mutex', waiters: [], waitingCount: waiting },
    holders: [{ ...lease, holder, acquiredAt: 1, expiresAt: 2 }],
  }
}
const waits = (instance: number, name: string, step: string, isEndless = true): LockWaiter => ({
  ...{ name, instanceId: id(instance), definitionId: `flow-${instance}`, step, since: instance, isEndless },
})
const circle = () => ({
  locks: [held('x', { instance: 1, step: 'a' }), held('y', { instance: 2, step: 'b' })],
  // The first of them is in no circle, though it came before.
  waiters: [waits(3, 'x', 'c'), waits(1, 'y', 'a.inner'), waits(2, 'x', 'b.inner')],
})

describe('who waits for whom', () => {
  it('tells of instances in a circle, though one process has them both, and leaves out who only waits for them', () => {
    const { locks, waiters } = circle()
    const graph = waitGraph(locks, waiters)
    expect(graph.deadlocks).toHaveLength(1)
    const [found] = graph.deadlocks
    expect([...found!.actors].sort()).toEqual([wire(1), wire(2)])
    expect([...found!.circle].sort((a, b) => (a.key < b.key ? -1 : 1))).toEqual([
      { party: wire(2), key: 'x' },
      { party: wire(1), key: 'y' },
    ])
    expect(found).toMatchObject({ certain: true, finding: expect.stringContaining(`flow-1 ${wire(1)} waits for "y"`) })
    expect(graph.waits.map(({ party, key }) => [party, key])).toEqual([
      [wire(1), 'y'],
      [wire(2), 'x'],
      [wire(3), 'x'],
    ])
    expect(graph.holds).toMatchObject([
      { party: wire(1), key: 'x', fence: '7' },
      { party: wire(2), key: 'y' },
    ])
    expect(graph.parties.get(wire(1))).toMatchObject({ kind: 'instance', name: 'node-1', definitionId: 'flow-1' })
    expect(graph.parties.get(wire(3))).toMatchObject({ name: null })
  })

  it.each([
    ['another branch of one holds what is waited for', 'other', true],
    ['one of them gives up some time', 'a.inner', false],
  ])('is not certain where %s', (_, step, isEndless) => {
    const { locks } = circle()
    const { deadlocks } = waitGraph(locks, [waits(1, 'y', step, isEndless), waits(2, 'x', 'b.inner')])
    expect(deadlocks).toMatchObject([{ certain: false, finding: expect.stringContaining('unless') }])
  })

  it('finds none where nobody holds what the other wants', () => {
    const { locks } = circle()
    expect(waitGraph(locks, [waits(1, 'y', 'a.inner'), waits(3, 'x', 'c')]).deadlocks).toEqual([])
    expect(waitGraph(locks, [waits(1, 'x', 'other')]).deadlocks).toEqual([])
  })

  it('knows tasks by what they call themselves', () => {
    const wait = (name: string, owner: string, behind: LockView): LockView => ({
      ...behind,
      waitingCount: 1,
      waiters: [{ ...held(name, { owner }).holders[0]!, priority: 0, since: 5 }],
    })
    const { deadlocks } = waitGraph(
      [wait('x', 'q', held('x', { owner: 'p' })), wait('y', 'p', held('y', { owner: 'q' }))],
      [],
    )
    expect(deadlocks).toMatchObject([{ certain: true, finding: expect.stringMatching(/p waits for "y".*all\(/) }])
  })
})

describe('a circle that was seen', () => {
  const read = (again: readonly LockView[], waiters: readonly LockWaiter[]) => {
    const first = circle()
    let asked = 0
    return readWaitGraph(
      {
        list: async () => ({ locks: first.locks }),
        read: async (name) => again.find((lock) => lock.name === name) ?? first.locks.find((l) => l.name === name),
      },
      { lockWaiters: async () => ({ waiters: asked++ === 0 ? first.waiters : waiters, more: false }) },
    )
  }

  it('is told when it is still there', async () => {
    const { graph, truncated } = await read([], circle().waiters)
    expect([graph.deadlocks.length, truncated]).toEqual([1, false])
  })

  it('is not when a lock has another lease meanwhile, or one of them waits no more', async () => {
    expect((await read([held('x', { instance: 1, step: 'a' })], circle().waiters)).graph.deadlocks).toEqual([])
    expect((await read([], [waits(2, 'x', 'b.inner')])).graph.deadlocks).toEqual([])
  })

  it('is looked for again page by page where thousands of locks are waited for', async () => {
    const { locks, waiters } = circle()
    const others = Array.from({ length: 3_000 }, (_, n) => held(`other-${n}`, { owner: `task-${n}` }, 1))
    let asked = 0
    const count = <T>(answer: T): Promise<T> => {
      asked += 1
      return Promise.resolve(answer)
    }
    const { graph, truncated } = await readWaitGraph(
      { list: () => count({ locks: [...others, ...locks] }), read: () => count(undefined) },
      { lockWaiters: () => count({ waiters, more: true }) },
    )
    expect([graph.deadlocks.length, asked, truncated]).toEqual([1, 4, true])
  })
})
