import { describe, expect, it } from 'vitest'
import { drive } from './fixtures/toy-driver.fixture.ts'
import { toyBody, toyDocument } from './fixtures/toy-shell.fixture.ts'
import { resetReady, takeDueRetries } from './ready.ts'
import { dueWaits, nextDueAt, nextDueInMs, openWaits, stamp } from './waits.ts'

const document = toyDocument(['a', 'b', 'c'])
const error = { code: 'FLAKY', message: 'again' }

describe('a wait', () => {
  it('is due at its own time when it names one', () => {
    const { state, start, apply } = drive(document)
    start()
    apply({ kind: 'waiting', step: 'a', wait: { kind: 'timer', at: 5_000 } })
    expect(nextDueAt(state)).toBe(5_000)
    expect(nextDueInMs(state)).toBeUndefined()
  })

  it('counts from the commit: known at once on replay, after the stamp while live', () => {
    const replayed = drive(document)
    const live = drive(document)
    for (const [driver, at] of [
      [replayed, 1_000],
      [live, undefined],
    ] as const) {
      driver.apply({ kind: 'started', input: null }, at)
      driver.apply({ kind: 'waiting', step: 'a', wait: { kind: 'timer', ms: 50 } }, at)
      driver.apply({ kind: 'waiting', step: 'b', wait: { kind: 'event', name: 'e', timeoutMs: 70 } }, at)
      driver.apply({ kind: 'waiting', step: 'c', wait: { kind: 'event', name: 'f' } }, at)
    }
    expect(nextDueAt(live.state)).toBeUndefined()
    expect(nextDueInMs(live.state)).toBe(50)
    stamp(live.state, 1_000)
    expect(nextDueInMs(live.state)).toBeUndefined()
    expect(live.state).toEqual(replayed.state)
    expect(openWaits(live.state).map(({ step, dueAt }) => [step, dueAt])).toEqual([
      ['a', 1_050],
      ['b', 1_070],
      ['c', undefined],
    ])
  })

  it('is not stamped by the acknowledgement of an earlier commit', () => {
    const { state, start, apply } = drive(document)
    start()
    apply({ kind: 'waiting', step: 'a', wait: { kind: 'timer', ms: 50 } })
    const committed = state.seq
    apply({ kind: 'waiting', step: 'b', wait: { kind: 'timer', ms: 50 } })
    stamp(state, 1_000, committed)
    stamp(state, 2_000)
    expect(openWaits(state).map(({ dueAt }) => dueAt)).toEqual([1_050, 2_050])
  })

  it('that replaced one in the same commit keeps its own time', () => {
    const { state, start, apply } = drive(document)
    start()
    apply({ kind: 'retrying', step: 'a', attempt: 1, error, delayMs: 10 })
    apply({ kind: 'waiting', step: 'a', wait: { kind: 'timer', at: 5_000 } })
    stamp(state, 1_000)
    expect(openWaits(state)).toMatchObject([{ step: 'a', dueAt: 5_000 }])
  })

  it('that ended before its stamp leaves nothing behind', () => {
    const { state, start, apply, done } = drive(document)
    start()
    apply({ kind: 'waiting', step: 'a', wait: { kind: 'timer', ms: 50 } })
    done('a')
    stamp(state, 1_000)
    expect(state).toMatchObject({ waits: {}, unstamped: [] })
  })

  it('is found when it is due, the longest overdue first', () => {
    const { state, start, apply } = drive(document)
    start()
    apply({ kind: 'waiting', step: 'a', wait: { kind: 'timer', at: 30 } })
    apply({ kind: 'waiting', step: 'b', wait: { kind: 'timer', at: 20 } })
    apply({ kind: 'waiting', step: 'c', wait: { kind: 'timer', at: 31 } })
    expect(dueWaits(state, 30).map(({ step }) => step)).toEqual(['b', 'a'])
    expect(nextDueAt(state)).toBe(20)
  })
})

describe('a retry', () => {
  it('is handed out once when it is due, with its number', () => {
    const { program, state, start, apply } = drive(document)
    start()
    apply({ kind: 'retrying', step: 'a', attempt: 1, error, delayMs: 100 }, 1_000)
    expect(takeDueRetries(program, state, 1_099)).toEqual([])
    expect(takeDueRetries(program, state, 1_100)).toMatchObject([{ step: 'a', attempt: 2, unclear: false }])
    expect(takeDueRetries(program, state, 1_100)).toEqual([])
    expect(nextDueAt(state)).toBeUndefined()
  })

  it('is due again after a restore, with the same number', () => {
    const { program, state, start, apply } = drive(document)
    start()
    apply({ kind: 'retrying', step: 'a', attempt: 1, error, delayMs: 100 }, 1_000)
    takeDueRetries(program, state, 1_100)
    resetReady(program, state)
    expect(nextDueAt(state)).toBe(1_100)
    expect(takeDueRetries(program, state, 1_100)).toMatchObject([{ step: 'a', attempt: 2 }])
  })

  it('is no wait any more once its attempt was announced', () => {
    const { state, start, apply } = drive(document)
    start()
    apply({ kind: 'retrying', step: 'a', attempt: 1, error, delayMs: 100 }, 1_000)
    apply({ kind: 'attempting', step: 'a', attempt: 2 }, 1_100)
    expect(openWaits(state)).toEqual([])
    apply({ kind: 'waiting', step: 'a', wait: { kind: 'event', name: 'e' } })
    expect(state.executions.a).toEqual({ activity: 'a', scope: '', phase: 'waiting', attempt: 2 })
  })

  it('of a container is no wait any more once it has opened', () => {
    const loop = { id: 'loop', type: 'for-each', body: toyBody(['x']) }
    const { state, start, apply, open } = drive(toyDocument([loop]))
    start()
    apply({ kind: 'retrying', step: 'loop', attempt: 1, error, delayMs: 100 }, 1_000)
    expect(open('loop', { items: [1] })).toEqual(['loop[0].x'])
    expect(openWaits(state)).toEqual([])
  })

  it('can fail, wait or end like the first attempt', () => {
    const { program, state, start, apply, done } = drive(document)
    start()
    apply({ kind: 'retrying', step: 'a', attempt: 1, error, delayMs: 100 }, 1_000)
    apply({ kind: 'retrying', step: 'a', attempt: 2, error, delayMs: 200 }, 1_100)
    expect(nextDueAt(state)).toBe(1_300)
    expect(takeDueRetries(program, state, 1_300)).toMatchObject([{ attempt: 3 }])
    apply({ kind: 'waiting', step: 'a', wait: { kind: 'event', name: 'e' } }, 1_300)
    expect(openWaits(state)).toMatchObject([{ step: 'a', wait: { kind: 'event' } }])
    done('a')
    expect(openWaits(state)).toEqual([])
  })
})
