import { describe, expect, it } from 'vitest'
import { expressionScope } from '../expression-scope.ts'
import { drive } from '../fixtures/toy-driver.fixture.ts'
import { runToy, toyBody, toyDocument, toyVerdict } from '../fixtures/toy-shell.fixture.ts'
import { dueWaits, stamp } from '../waits.ts'

const loop = (body = toyBody(['x']), more = {}) => ({ id: 'loop', type: 'while', body, ...more })
const reading = (id: string, $expr: string) => ({ id, type: 'task', inputs: { seen: { $expr } } })

describe('a while', () => {
  it('is handed out before each turn, and goes on as its condition says', () => {
    const { start, open, done } = drive(toyDocument([loop(toyBody(['x', 'y'], ['x -> y'])), 'end'], ['loop -> end']))
    expect(start()).toEqual(['loop'])
    expect(open('loop', { condition: true })).toEqual(['loop[0].x'])
    expect(done('loop[0].x')).toEqual(['loop[0].y'])
    expect(done('loop[0].y')).toEqual(['loop'])
    expect(open('loop', { condition: true })).toEqual(['loop[1].x'])
    done('loop[1].x')
    expect(done('loop[1].y')).toEqual(['loop'])
    expect(open('loop', { condition: false })).toEqual(['end'])
  })

  it('may take no turn at all, and turns of an empty body are over at once', () => {
    const empty = drive(toyDocument([loop(toyBody([])), 'end'], ['loop -> end']))
    empty.start()
    expect(empty.open('loop', { condition: true })).toEqual(['loop'])
    expect(empty.open('loop', { condition: false })).toEqual(['end'])
  })

  it('shows index to its condition and its body, and the item of a loop around it', () => {
    const inner = loop(toyBody([reading('x', '[item, index]')]), { inputs: { condition: { $expr: 'index < item' } } })
    const outer = { id: 'outer', type: 'for', inputs: { start: 1, end: 2 }, body: toyBody([inner]) }
    const { state, facts } = runToy(toyDocument([outer]))
    const seen = facts.flatMap((fact) => (fact.kind === 'completed' ? [(fact.output as { seen: unknown }).seen] : []))
    expect(seen).toEqual([
      [1, 0],
      [2, 0],
      [2, 1],
    ])
    expect(toyVerdict({ state, facts, ran: [] })).toMatchObject({ status: 'completed' })
  })

  it('records the results of its body where the condition, the next turn and what follows read them', () => {
    const body = toyBody([reading('x', 'steps.x && steps.x.output')])
    const { program, state, start, open, done } = drive(
      toyDocument(
        [loop(body, { inputs: { condition: { $expr: 'steps.x' } } }), reading('end', 'steps.x')],
        ['loop -> end'],
      ),
    )
    start()
    expect(expressionScope(program, state, 'loop')).toMatchObject({ index: 0, steps: {} })
    open('loop', { condition: true })
    done('loop[0].x', 'done', 'first')
    expect(expressionScope(program, state, 'loop')).toMatchObject({ index: 1, steps: { x: { output: 'first' } } })
    open('loop', { condition: true })
    expect(expressionScope(program, state, 'loop[1].x')).toMatchObject({ index: 1, steps: { x: { output: 'first' } } })
    done('loop[1].x', 'done', 'second')
    open('loop', { condition: false })
    expect(expressionScope(program, state, 'end').steps).toEqual({ x: { output: 'second' } })
  })

  it('fails when its condition does, and goes on there when it is retried', () => {
    const { apply, start, open, done, fail, state } = drive(toyDocument([loop()]))
    start()
    open('loop', { condition: true })
    done('loop[0].x')
    fail('loop')
    expect(state.status).toBe('faulted')
    expect(apply({ kind: 'retried' })).toEqual(['loop'])
    expect(open('loop', { condition: true })).toEqual(['loop[1].x'])
  })

  it('has one time-out for all its turns, which ends with it', () => {
    const { apply, start, open, done, state, cancelled } = drive(toyDocument([loop(), 'end'], ['loop -> end']))
    start()
    open('loop', { condition: true, timeoutMs: 100 })
    stamp(state, 1_000)
    done('loop[0].x')
    open('loop', { condition: true })
    expect(dueWaits(state, 1_100)).toMatchObject([{ step: 'loop', dueAt: 1_100 }])
    apply({ kind: 'failed', step: 'loop', attempt: 1, error: { code: 'TIMED_OUT', message: 'late' } })
    expect([state.status, state.waits, cancelled()]).toEqual(['faulted', {}, ['loop[1].x']])

    const other = drive(toyDocument([loop(), 'end'], ['loop -> end']))
    other.start()
    other.open('loop', { condition: true, timeoutMs: 100 })
    other.done('loop[0].x')
    expect(other.open('loop', { condition: false })).toEqual(['end'])
    expect(other.state.waits).toEqual({})
  })

  it('cannot open twice in one turn', () => {
    const { start, open } = drive(toyDocument([loop()]))
    start()
    open('loop', { condition: true })
    expect(() => open('loop', { condition: true })).toThrow('it is open already')
  })
})
