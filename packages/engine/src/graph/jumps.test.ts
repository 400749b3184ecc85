import { describe, expect, it } from 'vitest'
import { drive } from './fixtures/toy-driver.fixture.ts'
import { toyBody, toyDocument } from './fixtures/toy-shell.fixture.ts'
import { isFinished, verdict } from './verdict.ts'

const leave = { id: 'leave', type: 'break' }
const next = { id: 'next', type: 'continue' }
const loop = (body: ReturnType<typeof toyBody>, type = 'for-each') => ({ id: 'loop', type, body })
const seen = { id: 'end', type: 'task', inputs: { seen: { $expr: 'steps.loop.output' } } }
const output = ({ state }: ReturnType<typeof drive>) => state.scopes['']!.steps!.loop!.output

describe('break', () => {
  it('leaves the loop, and drops the other turns and what else runs in its own', () => {
    const driver = drive(toyDocument([loop(toyBody([leave, 'x'])), seen], ['loop -> end']))
    const { start, open, done, cancelled, state } = driver
    start()
    open('loop', { items: [1, 2, 3], concurrency: 2 })
    expect(done('loop[1].leave')).toEqual(['end'])
    expect(cancelled()).toEqual(['loop[0].leave', 'loop[0].x', 'loop[1].x'])
    expect(Object.keys(state.executions)).toEqual(['end'])
    expect(Object.keys(state.scopes)).toEqual([''])
    expect(output(driver)).toEqual({ count: 2, broken: true })
  })

  it('leaves the nearest loop only, whatever other containers are between', () => {
    const inner = {
      id: 'inner',
      type: 'while',
      body: toyBody([{ id: 'par', type: 'parallel', branches: [toyBody([leave]), toyBody(['x'])] }]),
    }
    const driver = drive(toyDocument([loop(toyBody([inner, 'y'], ['inner -> y'])), seen], ['loop -> end']))
    const { start, open, done, cancelled } = driver
    start()
    open('loop', { items: [1, 2] })
    open('loop[0].inner', { condition: true })
    open('loop[0].inner[0].par')
    expect(done('loop[0].inner[0].par[0].leave')).toEqual(['loop[0].y'])
    expect(cancelled()).toEqual(['loop[0].inner[0].par[1].x'])
    expect(done('loop[0].y')).toEqual(['loop[1].inner'])
  })

  it('waits for every finally on its way, from the inside out', () => {
    const guard = (id: string, body: ReturnType<typeof toyBody>) => ({
      id,
      type: 'try',
      body,
      finally: toyBody([`${id}-f`]),
    })
    const body = toyBody([guard('outer', toyBody([guard('inner', toyBody([leave, 'x'])), 'y']))])
    const driver = drive(toyDocument([loop(body), seen], ['loop -> end']))
    const { start, open, done, cancelled } = driver
    start()
    open('loop', { items: [1, 2] })
    open('loop[0].outer')
    open('loop[0].outer.inner')
    expect(done('loop[0].outer.inner.leave')).toEqual(['loop[0].outer.inner:finally.inner-f'])
    expect(cancelled()).toEqual(['loop[0].outer.inner.x'])
    expect(done('loop[0].outer.inner:finally.inner-f')).toEqual(['loop[0].outer:finally.outer-f'])
    expect(cancelled()).toEqual(['loop[0].outer.y'])
    expect(done('loop[0].outer:finally.outer-f')).toEqual(['end'])
    expect(output(driver)).toEqual({ count: 1, broken: true })
  })

  it('out of a finally lets go of the failure that was on its way', () => {
    const guard = { id: 'guard', type: 'try', body: toyBody(['x']), finally: toyBody([leave]) }
    const { start, open, done, fail, state } = drive(toyDocument([loop(toyBody([guard])), seen], ['loop -> end']))
    start()
    open('loop', { items: [1] })
    open('loop[0].guard')
    expect(fail('loop[0].guard.x')).toEqual(['loop[0].guard:finally.leave'])
    expect(done('loop[0].guard:finally.leave')).toEqual(['end'])
    expect(state.status).toBe('running')
  })

  it('gives way to a failure of the finally that it waits for', () => {
    const guard = { id: 'guard', type: 'try', body: toyBody([leave]), finally: toyBody(['f']) }
    const { start, open, done, fail, state } = drive(toyDocument([loop(toyBody([guard])), seen], ['loop -> end']))
    start()
    open('loop', { items: [1, 2] })
    open('loop[0].guard')
    done('loop[0].guard.leave')
    fail('loop[0].guard:finally.f')
    expect(state).toMatchObject({ status: 'faulted', error: { step: 'loop[0].guard:finally.f' } })
  })

  it('in no loop ends its branch, should a document ever come to that', () => {
    const { start, done } = drive(toyDocument([leave, 'x', 'y'], ['leave -> x']))
    start()
    expect(done('leave')).toEqual(['x'])
  })
})

describe('continue', () => {
  it('ends its turn; the loop goes on, and collects what there is', () => {
    const document = toyDocument(
      [
        {
          ...loop(toyBody(['x', next, 'y', 'z'], ['x -> next', 'x -> y'])),
          inputs: { collect: 'x' },
        },
        seen,
      ],
      ['loop -> end'],
    )
    const driver = drive(document)
    const { start, open, done, cancelled } = driver
    start()
    open('loop', { items: [1, 2], collect: 'x' })
    done('loop[0].x', 'done', 'one')
    expect(done('loop[0].next')).toEqual(['loop[1].x', 'loop[1].z'])
    expect(cancelled()).toEqual(['loop[0].z', 'loop[0].y'])
    done('loop[1].z')
    done('loop[1].x', 'done', 'two')
    expect(done('loop[1].next')).toEqual(['end'])
    expect(output(driver)).toEqual({ count: 2, results: ['one', 'two'] })
  })

  it('asks a while for its condition', () => {
    const { start, open, done } = drive(toyDocument([loop(toyBody([next, 'x']), 'while')]))
    start()
    open('loop', { condition: true })
    expect(done('loop[0].next')).toEqual(['loop'])
    expect(open('loop', { condition: true })).toEqual(['loop[1].next', 'loop[1].x'])
  })
})

describe('finish', () => {
  it('ends the instance as completed, and drops all that is alive, joins and waits too', () => {
    const end = { id: 'end', type: 'finish' }
    const guard = { id: 'guard', type: 'try', body: toyBody([end]), finally: toyBody(['f']) }
    const { start, open, apply, state, cancelled } = drive(
      toyDocument(['a', 'b', 'join', 'wait', guard, 'after'], ['a -> join', 'b -> join', 'guard -> after']),
    )
    start()
    open('guard')
    apply({ kind: 'completed', step: 'a', outcome: 'done' })
    apply({ kind: 'waiting', step: 'wait', wait: { kind: 'timer', ms: 50 } })
    expect(apply({ kind: 'completed', step: 'guard.end', outcome: 'done', result: { by: 'finish' } })).toEqual([])
    expect(cancelled()).toEqual(['b', 'wait'])
    expect(isFinished(state)).toBe(true)
    expect(verdict(state)).toEqual({ status: 'completed', output: { by: 'finish' } })
    expect(state).toMatchObject({ executions: {}, waits: {} })
    apply({ kind: 'ended', status: 'completed', output: {} })
    expect(state).toMatchObject({ status: 'ended', scopes: {} })
  })
})

describe('several outcomes at once', () => {
  it('put one token on each target, and joins fire when all of them are in place', () => {
    const { start, apply, done } = drive(
      toyDocument(['s', 'a', 'b', 'j'], ['s -x-> a', 's -y-> b', 's -x-> j', 's -y-> j', 'a -> j', 'b -> j']),
    )
    start()
    expect(apply({ kind: 'completed', step: 's', outcome: 'x', outcomes: ['x', 'y'] })).toEqual(['a', 'b'])
    expect(done('a')).toEqual([])
    expect(done('b')).toEqual(['j'])
  })
})
