import { describe, expect, it } from 'vitest'
import type { FactRow } from '../../api/wire.ts'
import { executionsOf } from './executions.ts'
import { activityOf, scopeOf } from './step-key.ts'

const BASE = Date.UTC(2026, 0, 1)

/** Facts at so many seconds: `[second, kind, data]`. */
const journal = (...facts: readonly (readonly [number, string, object?])[]): FactRow[] =>
  facts.map(([second, kind, data = {}], index) => ({
    seq: index + 1,
    kind,
    at: new Date(BASE + second * 1_000).toISOString(),
    nodeId: 'nod_1',
    claimNo: 1,
    data: data as Record<string, unknown>,
  }))

const at = (second: number): number => BASE + second * 1_000

describe('step keys', () => {
  it.each([
    ['ask', 'ask', ''],
    ['loop[3].ask#2', 'ask', 'loop[3].'],
    ['guard:catch.y', 'y', 'guard:catch.'],
    ['par[1].loop[0].x', 'x', 'par[1].loop[0].'],
  ])('%s is %s', (key, activity, scope) => {
    expect(activityOf(key)).toBe(activity)
    expect(scopeOf(key)).toBe(scope)
  })
})

describe('executions', () => {
  it('tell waiting, back-off and running apart', () => {
    const facts = journal(
      [0, 'started', { input: {} }],
      [1, 'completed', { step: 'a', outcome: 'done', output: 7 }],
      [2, 'retrying', { step: 'b', attempt: 1, delayMs: 2_000, error: { code: 'X', message: 'no' } }],
      [5, 'waiting', { step: 'b', wait: { kind: 'event', name: 'go' } }],
      [9, 'completed', { step: 'b', outcome: 'done', by: 'event' }],
      [9, 'ended', { status: 'completed' }],
    )
    const [a, b] = executionsOf({ facts, before: new Map([['b', ['a']]]) })
    expect(a).toMatchObject({ status: 'completed', begunAt: at(0), endedAt: at(1), output: 7 })
    expect(b).toMatchObject({ status: 'completed', attempts: 2, begunAt: at(1) })
    expect(b?.segments).toEqual([
      { kind: 'running', from: at(1), to: at(2) },
      { kind: 'backoff', from: at(2), to: at(4) },
      { kind: 'running', from: at(4), to: at(5) },
      { kind: 'suspended', from: at(5), to: at(9) },
    ])
  })

  it('begin where what leads to them ended, also side by side', () => {
    const facts = journal(
      [0, 'started'],
      [1, 'completed', { step: 'root' }],
      [4, 'completed', { step: 'left' }],
      [6, 'completed', { step: 'right' }],
    )
    const before = new Map([
      ['left', ['root']],
      ['right', ['root']],
    ])
    expect(executionsOf({ facts, before }).map(({ begunAt }) => begunAt)).toEqual([at(0), at(1), at(1)])
  })

  it('end containers with the last of their parts', () => {
    const facts = journal(
      [0, 'started'],
      [0, 'opened', { step: 'each', items: [1, 2] }],
      [1, 'completed', { step: 'each[0].x' }],
      [3, 'completed', { step: 'each[1].x' }],
      [4, 'completed', { step: 'after' }],
    )
    const runs = executionsOf({ facts, live: new Set() })
    expect(runs.find(({ key }) => key === 'each')).toMatchObject({ status: 'completed', endedAt: at(3) })
    const before = new Map([['after', ['each']]])
    expect(executionsOf({ facts, before, live: new Set() }).at(-1)).toMatchObject({ key: 'after', begunAt: at(3) })
    const open = executionsOf({ facts: facts.slice(0, 3), live: new Set(['each']) })
    expect(open.find(({ key }) => key === 'each')).toMatchObject({ status: 'running', endedAt: undefined })
  })

  it('show what failed, and what the end cut off', () => {
    const facts = journal(
      [0, 'started'],
      [1, 'waiting', { step: 'w', wait: { kind: 'timer', ms: 9_000 } }],
      [2, 'failed', { step: 'f', attempt: 3, error: { code: 'E', message: 'm' } }],
      [2, 'ended', { status: 'faulted' }],
    )
    const [w, f] = executionsOf({ facts })
    expect(w).toMatchObject({ status: 'cancelled', endedAt: at(2) })
    expect(f).toMatchObject({ status: 'faulted', attempts: 3, error: { code: 'E' } })
  })

  it('calls queued what lies before the first fact of a node that took it up', () => {
    const [started, ...rest] = journal([0, 'started'], [4, 'completed', { step: 'a' }], [6, 'completed', { step: 'b' }])
    const queued = executionsOf({ facts: [{ ...started!, claimNo: 0 }, ...rest] })
    expect(queued.map(({ segments }) => segments)).toEqual([
      [{ kind: 'queued', from: at(0), to: at(4) }],
      [{ kind: 'running', from: at(4), to: at(6) }],
    ])
    const born = executionsOf({ facts: [started!, ...rest] })
    expect(born[0]!.segments).toEqual([{ kind: 'running', from: at(0), to: at(4) }])
  })

  it('closes containers in containers from the inside, in a journal of thousands of turns', () => {
    const turns = Array.from({ length: 5_000 }, (_, turn) => turn)
    const facts = journal(
      [0, 'started'],
      [0, 'opened', { step: 'each', items: turns }],
      ...turns.flatMap((turn): (readonly [number, string, object])[] => [
        [turn, 'opened', { step: `each[${turn}].par`, branches: 1 }],
        [turn + 1, 'completed', { step: `each[${turn}].par[0].a` }],
        [turn + 1, 'completed', { step: `each[${turn}].b` }],
      ]),
      [9_000, 'completed', { step: 'after' }],
    )
    const before = new Map([
      ['b', ['par']],
      ['after', ['each']],
    ])
    const runs = executionsOf({ facts, before, live: new Set() })
    expect(runs).toHaveLength(15_002)
    const of = (key: string) => runs.find((run) => run.key === key)
    expect(of('each[7].par')).toMatchObject({ status: 'completed', endedAt: at(8) })
    expect(of('each[7].b')).toMatchObject({ begunAt: at(8), endedAt: at(8) })
    expect(of('each')).toMatchObject({ status: 'completed', endedAt: at(5_000) })
    expect(of('after')).toMatchObject({ begunAt: at(5_000), endedAt: at(9_000) })
  })
})
