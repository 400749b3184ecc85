import { describe, expect, it } from 'vitest'
import { expressionScope } from './expression-scope.ts'
import { drive } from './fixtures/toy-driver.fixture.ts'
import { toyBody, toyDocument } from './fixtures/toy-shell.fixture.ts'

const reading = (id: string, ...names: string[]) => ({
  id,
  type: 'task',
  inputs: Object.fromEntries(names.map((name, n) => [`i${n}`, { $expr: name }])),
})

describe('the scope of an expression', () => {
  it('shows input, variables, steps and correlation id without copying them', () => {
    const { program, state, apply, done } = drive(
      toyDocument(['a', reading('b', 'steps.a.output')], ['a -> b'], { variables: { n: { default: 1 } } }),
    )
    const input = { big: [1, 2, 3] }
    apply({ kind: 'started', input, correlationId: 'order-7' })
    const output = { x: 1 }
    done('a', 'done', output)
    const scope = expressionScope(program, state, 'b')
    expect(scope).toEqual({ input, vars: { n: 1 }, steps: { a: { output } }, correlationId: 'order-7' })
    expect(scope.input).toBe(input)
    expect(scope.vars).toBe(state.variables)
    expect((scope.steps.a as { output: unknown }).output).toBe(output)
  })

  it('keeps no result that no expression reads', () => {
    const { state, start, done } = drive(toyDocument(['a', reading('b', 'steps.c.output'), 'c'], ['a -> b']))
    start()
    done('a', 'done', 'large')
    expect(JSON.stringify(state)).not.toContain('large')
  })

  it('keeps every result when an expression computes the name', () => {
    const { program, state, start, done } = drive(toyDocument(['a', reading('b', "steps['a']")], ['a -> b']))
    start()
    done('a', 'done', 1)
    expect(expressionScope(program, state, 'b').steps).toEqual({ a: { output: 1 } })
  })

  it('shows the latest result of a step that ran again', () => {
    const { program, state, start, done } = drive(
      toyDocument(['s', 'a', reading('b', 'steps.a.output')], ['s -> a', 'a -> b', 'b -again-> a']),
    )
    start()
    done('s')
    done('a', 'done', 1)
    done('b', 'again')
    done('a#2', 'done', 2)
    expect(expressionScope(program, state, 'b#2').steps).toEqual({ a: { output: 2 } })
  })

  it('shows in a loop the steps of this turn and those around the loop, not those of other turns', () => {
    const inner = toyBody(['x', reading('y', 'steps.x.output', 'steps.before.output')], ['x -> y'])
    const { program, state, start, done, open } = drive(
      toyDocument(['before', { id: 'loop', type: 'for-each', body: inner }], ['before -> loop']),
    )
    start()
    done('before', 'done', 'b')
    open('loop', { items: ['i', 'j'], concurrency: 2 })
    done('loop[0].x', 'done', 'x0')
    done('loop[1].x', 'done', 'x1')
    expect(expressionScope(program, state, 'loop[1].y')).toMatchObject({
      item: 'j',
      index: 1,
      steps: { x: { output: 'x1' }, before: { output: 'b' } },
    })
    expect(expressionScope(program, state, 'loop[0].y').steps).toMatchObject({ x: { output: 'x0' } })
  })

  it('shows in a catch what the body did before it failed', () => {
    const guard = {
      id: 'guard',
      type: 'try',
      body: toyBody(['pay', 'ship'], ['pay -> ship']),
      catch: toyBody([reading('refund', 'steps.pay.output', 'error')]),
    }
    const { program, state, start, done, open, fail } = drive(toyDocument([guard]))
    start()
    open('guard')
    done('guard.pay', 'done', 'receipt')
    fail('guard.ship')
    expect(expressionScope(program, state, 'guard:catch.refund')).toMatchObject({
      steps: { pay: { output: 'receipt' } },
      error: { code: 'BROKEN', step: 'guard.ship' },
    })
  })

  it('shows the error inside containers of the catch', () => {
    const loop = { id: 'loop', type: 'for-each', body: toyBody([reading('x', 'error')]) }
    const { program, state, start, open, fail } = drive(
      toyDocument([{ id: 'guard', type: 'try', body: toyBody(['y']), catch: toyBody([loop]) }]),
    )
    start()
    open('guard')
    fail('guard.y')
    open('guard:catch.loop', { items: [1] })
    expect(expressionScope(program, state, 'guard:catch.loop[0].x')).toMatchObject({
      item: 1,
      index: 0,
      error: { code: 'BROKEN' },
    })
  })

  it('shows the error of a step that was told to go on', () => {
    const lenient = { id: 'a', type: 'task', onError: 'continue' as const }
    const { program, state, start, fail } = drive(toyDocument([lenient, reading('b', 'steps.a.error')], ['a -> b']))
    start()
    fail('a')
    expect(expressionScope(program, state, 'b').steps).toEqual({
      a: { output: null, error: { code: 'BROKEN', message: 'it broke', step: 'a' } },
    })
  })

  it('is refused for a step that is not alive', () => {
    const { program, state, start } = drive(toyDocument(['a']))
    start()
    expect(() => expressionScope(program, state, 'b')).toThrow('not alive')
  })
})
