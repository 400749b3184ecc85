import { describe, expect, it } from 'vitest'
import type { Fact } from '../journal/fact.ts'
import { applyFact } from './apply-fact.ts'
import { drive, type ToyDriver } from './fixtures/toy-driver.fixture.ts'
import { runToy, toyBody, toyDocument, toyVerdict } from './fixtures/toy-shell.fixture.ts'
import { InvalidFact } from './graph-errors.ts'
import { takeReady } from './ready.ts'
import { isFinished, verdict } from './verdict.ts'
import { openWaits } from './waits.ts'

const line = toyDocument(['a', 'b', 'c'], ['a -> b', 'b -> c'])

describe('a graph', () => {
  it('runs a line of steps one after the other', () => {
    const run = runToy(line)
    expect(run.ran).toEqual(['a', 'b', 'c'])
    expect(toyVerdict(run)).toEqual({ status: 'completed', output: {} })
  })

  it('starts at every activity without an incoming connection', () => {
    expect(drive(toyDocument(['a', 'b', 'c'], ['a -> c'])).start()).toEqual(['a', 'b'])
  })

  it('counts facts', () => {
    const { state, start, done } = drive(line)
    start()
    done('a')
    expect(state.seq).toBe(2)
  })

  it('starts variables at their defaults and changes them by facts', () => {
    const { state, start, apply } = drive(toyDocument(['a'], [], { variables: { n: { default: 1 }, m: {} } }))
    start()
    expect(state.variables).toEqual({ n: 1, m: null })
    apply({ kind: 'completed', step: 'a', outcome: 'done', assign: { n: 2 } })
    apply({ kind: 'assigned', variables: { m: [3] } })
    expect(state.variables).toEqual({ n: 2, m: [3] })
  })

  it('collects its output from results', () => {
    const { state, start, apply } = drive(toyDocument(['a', 'b'], ['a -> b']))
    start()
    apply({ kind: 'completed', step: 'a', outcome: 'done', result: { x: 1, y: 1 } })
    apply({ kind: 'completed', step: 'b', outcome: 'done', result: { y: 2 } })
    expect(verdict(state)).toEqual({ status: 'completed', output: { x: 1, y: 2 } })
  })

  it('keeps steps, variables and results apart from what objects inherit', () => {
    const document = toyDocument(['constructor', 'toString'], ['constructor -> toString'], {
      variables: { valueOf: { default: 1 } },
    })
    const { state, start, apply, done } = drive(document)
    expect(() => done('constructor')).toThrow(InvalidFact)
    start()
    apply({ kind: 'completed', step: 'constructor', outcome: 'done', result: JSON.parse('{"__proto__": 5}') })
    expect(() => done('hasOwnProperty')).toThrow('not alive')
    done('toString')
    expect(JSON.stringify(verdict(state))).toBe('{"status":"completed","output":{"__proto__":5}}')
  })

  it('without activities is finished as soon as it starts', () => {
    const { state, start } = drive(toyDocument([]))
    expect(isFinished(state)).toBe(false)
    start()
    expect(isFinished(state)).toBe(true)
  })
})

describe('a trigger', () => {
  const document = toyDocument(
    [{ id: 'cron', type: 'tick' }, { id: 'http', type: 'tick' }, 'manual', 'work'],
    ['cron -> work', 'http -> work', 'manual -> work'],
  )

  it('starts the workflow alone', () => {
    const { apply, done } = drive(document)
    expect(apply({ kind: 'started', input: null, trigger: 'cron' })).toEqual(['cron'])
    expect(done('cron')).toEqual(['work'])
  })

  it('is left out of a start by hand', () => {
    expect(drive(document).start()).toEqual(['manual'])
  })

  it('takes part in a start by hand when there is nothing else to start', () => {
    const { start, done } = drive(
      toyDocument(
        [{ id: 'cron', type: 'tick' }, { id: 'http', type: 'tick' }, 'work'],
        ['cron -> work', 'http -> work'],
      ),
    )
    expect(start()).toEqual(['cron', 'http'])
    expect(done('cron')).toEqual([])
    expect(done('http')).toEqual(['work'])
  })
})

describe('an unhandled failure', () => {
  const par = {
    id: 'par',
    type: 'parallel',
    branches: [toyBody(['x']), toyBody(['y', 'z'], ['y -> z']), toyBody(['w'])],
  }

  function faulted(): ToyDriver {
    const driver = drive(toyDocument([par, 'end'], ['par -> end']))
    driver.start()
    driver.open('par')
    driver.apply({ kind: 'waiting', step: 'par[2].w', wait: { kind: 'event', name: 'e' } })
    driver.fail('par[0].x')
    return driver
  }

  it('faults the instance and lists all that was at work', () => {
    const { state, cancelled, done } = faulted()
    expect(verdict(state)).toEqual({
      status: 'faulted',
      error: { code: 'BROKEN', message: 'it broke', step: 'par[0].x' },
    })
    expect(cancelled()).toEqual(['par[1].y', 'par[2].w'])
    expect(openWaits(state)).toEqual([])
    expect(() => done('par[1].y')).toThrow('faulted')
  })

  it('keeps the place that the failure names', () => {
    const { state, start, fail } = drive(line)
    start()
    fail('a', { step: 'inside.of.a.child' })
    expect(verdict(state)).toMatchObject({ error: { step: 'inside.of.a.child' } })
  })

  it('can be undone: the failed step runs again and the others go on where they stood', () => {
    const { state, apply, done } = faulted()
    apply({ kind: 'ended', ...verdict(state)! })
    expect(apply({ kind: 'retried' })).toEqual(['par[0].x', 'par[1].y'])
    expect(openWaits(state).map(({ step }) => step)).toEqual(['par[2].w'])
    done('par[0].x')
    done('par[1].y')
    done('par[1].z')
    expect(done('par[2].w')).toEqual(['end'])
    done('end')
    expect(verdict(state)).toEqual({ status: 'completed', output: {} })
  })

  it('starts counting attempts anew when it is undone', () => {
    const { program, state, start, apply } = drive(line)
    const error = { code: 'E', message: 'm' }
    start()
    apply({ kind: 'retrying', step: 'a', attempt: 1, error, delayMs: 1 })
    apply({ kind: 'failed', step: 'a', attempt: 2, error })
    applyFact(program, state, { kind: 'retried' })
    expect(takeReady(program, state)).toMatchObject([{ step: 'a', attempt: 1 }])
  })

  it('of a container is undone by a new run of it', () => {
    const guard = { id: 'guard', type: 'try', body: toyBody(['x']), finally: toyBody(['f']) }
    const { start, open, fail, done, apply, state } = drive(toyDocument([guard, 'end'], ['guard -> end']))
    start()
    open('guard')
    fail('guard.x')
    done('guard:finally.f')
    expect(apply({ kind: 'retried' })).toEqual(['guard#2'])
    expect(open('guard#2')).toEqual(['guard#2.x'])
    done('guard#2.x')
    expect(done('guard#2:finally.f')).toEqual(['end'])
    expect(Object.keys(state.executions)).toEqual(['end'])
  })

  it('is no failure for a step that may go on', () => {
    const document = toyDocument([{ id: 'a', type: 'task', onError: 'continue' }, 'b'], ['a -> b'])
    const { start, fail } = drive(document)
    start()
    expect(fail('a')).toEqual(['b'])
  })
})

describe('a container', () => {
  const loop = { id: 'loop', type: 'for-each', body: toyBody(['x']), timeout: '1m' }

  it('can be completed from outside, which drops what runs inside', () => {
    const { start, open, apply, cancelled, state } = drive(toyDocument([loop, 'end'], ['loop -> end']))
    start()
    open('loop', { items: [1, 2], concurrency: 2 })
    expect(apply({ kind: 'completed', step: 'loop', outcome: 'done', by: 'operator' })).toEqual(['end'])
    expect(cancelled()).toEqual(['loop[0].x', 'loop[1].x'])
    expect(Object.keys(state.scopes)).toEqual([''])
  })

  it('with a timeout waits for it while it is open, and no longer', () => {
    const { start, apply, done, state } = drive(toyDocument([loop]))
    start()
    apply({ kind: 'opened', step: 'loop', items: [1], timeoutMs: 60_000 }, 1_000)
    expect(openWaits(state)).toEqual([{ step: 'loop', seq: 2, wait: { kind: 'timeout', ms: 60_000 }, dueAt: 61_000 }])
    done('loop[0].x')
    expect(openWaits(state)).toEqual([])
  })

  it('that timed out fails as a whole', () => {
    const { start, open, fail, cancelled, state } = drive(toyDocument([loop]))
    start()
    open('loop', { items: [1], timeoutMs: 5 })
    fail('loop', { code: 'TIMED_OUT' })
    expect(cancelled()).toEqual(['loop[0].x'])
    expect(verdict(state)).toMatchObject({ status: 'faulted', error: { code: 'TIMED_OUT', step: 'loop' } })
  })
})

describe('an end from outside', () => {
  it('cancels everything that is alive', () => {
    const { start, apply, cancelled, state } = drive(toyDocument(['a', 'b']))
    start()
    apply({ kind: 'cancelled', reason: 'changed my mind' })
    expect(cancelled()).toEqual(['a', 'b'])
    expect(verdict(state)).toEqual({ status: 'cancelled' })
    expect(apply({ kind: 'ended', status: 'cancelled' })).toEqual([])
    expect(state).toMatchObject({ status: 'ended', executions: {}, scopes: {} })
  })

  it('holds a quarantined instance until it is sent on', () => {
    const { start, apply, state } = drive(line)
    start()
    apply({ kind: 'quarantined', crashCount: 3 })
    expect(isFinished(state)).toBe(false)
    expect(apply({ kind: 'retried' })).toEqual(['a'])
  })
})

describe('a fact that cannot apply', () => {
  const loop = { id: 'loop', type: 'for-each', body: toyBody(['x']) }
  const document = toyDocument(['a', 'gone', loop, 'waits', 'later'], ['a -> later'], { variables: { known: {} } })
  const error = { code: 'E', message: 'm' }

  const facts: readonly (readonly [string, Fact])[] = [
    ['a second start', { kind: 'started', input: null }],
    ['the end of a step that never began', { kind: 'completed', step: 'later', outcome: 'done' }],
    ['the end of a step that has ended', { kind: 'completed', step: 'gone', outcome: 'done' }],
    ['the end of a step that does not exist', { kind: 'completed', step: 'nowhere[1].x', outcome: 'done' }],
    ['the failure of a step that has ended', { kind: 'failed', step: 'gone', error, attempt: 1 }],
    ['a second wait', { kind: 'waiting', step: 'waits', wait: { kind: 'timer', ms: 1 } }],
    ['a wait of an open container', { kind: 'waiting', step: 'loop', wait: { kind: 'timer', ms: 1 } }],
    ['a second opening', { kind: 'opened', step: 'loop', items: [] }],
    ['the opening of a step that is no container', { kind: 'opened', step: 'a' }],
    ['an attempt out of turn', { kind: 'attempting', step: 'a', attempt: 2 }],
    ['a retry out of turn', { kind: 'retrying', step: 'a', attempt: 2, error, delayMs: 1 }],
    ['a retry of an open container', { kind: 'retrying', step: 'loop', attempt: 1, error, delayMs: 1 }],
    ['a variable nobody declared', { kind: 'assigned', variables: { unknown: 1 } }],
    [
      'a result that assigns a variable nobody declared',
      { kind: 'completed', step: 'a', outcome: 'done', assign: { unknown: 1 } },
    ],
    ['a retry without a failure', { kind: 'retried' }],
    ['completion while steps are alive', { kind: 'ended', status: 'completed' }],
    ['a kind that graphs do not know', { kind: 'toString' } as unknown as Fact],
  ]

  it.each(facts)('is refused and changes nothing: %s', (_, fact) => {
    const { state, start, done, open, apply } = drive(document)
    start()
    done('gone')
    open('loop', { items: [1] })
    apply({ kind: 'waiting', step: 'waits', wait: { kind: 'timer', ms: 1 } })
    const before = JSON.stringify(state)
    expect(() => apply(fact)).toThrow(InvalidFact)
    expect(JSON.stringify(state)).toBe(before)
  })

  it.each<Fact>([
    { kind: 'completed', step: 'a', outcome: 'done' },
    { kind: 'cancelled' },
    { kind: 'assigned', variables: {} },
    { kind: 'ended', status: 'terminated' },
    { kind: 'started', input: null, trigger: 'a' },
  ])('is refused before the start: $kind', (fact) => {
    const { state, apply } = drive(line)
    const before = JSON.stringify(state)
    expect(() => apply(fact)).toThrow(InvalidFact)
    expect(JSON.stringify(state)).toBe(before)
  })

  it.each<Fact>([
    { kind: 'completed', step: 'a', outcome: 'done' },
    { kind: 'cancelled' },
    { kind: 'retried' },
    { kind: 'ended', status: 'terminated' },
    { kind: 'quarantined', crashCount: 1 },
  ])('is refused after the end: $kind', (fact) => {
    const { start, apply } = drive(line)
    start()
    apply({ kind: 'ended', status: 'terminated' })
    expect(() => apply(fact)).toThrow(InvalidFact)
  })
})
