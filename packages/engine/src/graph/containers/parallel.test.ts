import { describe, expect, it } from 'vitest'
import { drive } from '../fixtures/toy-driver.fixture.ts'
import { runToy, toyBody, toyDocument, toyVerdict } from '../fixtures/toy-shell.fixture.ts'

const parallel = (...branches: ReturnType<typeof toyBody>[]) => ({ id: 'par', type: 'parallel', branches })

describe('parallel', () => {
  it('waits for all of its branches', () => {
    const { start, open, done } = drive(
      toyDocument([parallel(toyBody(['x', 'y'], ['x -> y']), toyBody(['z'])), 'end'], ['par -> end']),
    )
    start()
    expect(open('par')).toEqual(['par[0].x', 'par[1].z'])
    expect(done('par[1].z')).toEqual([])
    expect(done('par[0].x')).toEqual(['par[0].y'])
    expect(done('par[0].y')).toEqual(['end'])
  })

  it('of any goes on with the first finished branch and cancels the others, waits and nested containers included', () => {
    const nested = { id: 'loop', type: 'for-each', body: toyBody(['deep']) }
    const document = toyDocument([parallel(toyBody(['x']), toyBody(['w']), toyBody([nested])), 'end'], ['par -> end'])
    const { start, open, done, apply, cancelled, state } = drive(document)
    start()
    open('par', { join: 'any' })
    apply({ kind: 'waiting', step: 'par[1].w', wait: { kind: 'timer', ms: 5 } })
    expect(open('par[2].loop', { items: [1] })).toEqual(['par[2].loop[0].deep'])
    expect(done('par[0].x')).toEqual(['end'])
    expect(cancelled()).toEqual(['par[1].w', 'par[2].loop[0].deep'])
    expect(Object.keys(state.executions)).toEqual(['end'])
    expect(Object.keys(state.scopes)).toEqual([''])
    expect(state.waits).toEqual({})
    expect(() => done('par[1].w')).toThrow('not alive')
  })

  it('of any is won at once by a branch without steps', () => {
    const { start, open, cancelled } = drive(
      toyDocument([parallel(toyBody(['x']), toyBody([])), 'end'], ['par -> end']),
    )
    start()
    expect(open('par', { join: 'any' })).toEqual(['end'])
    expect(cancelled()).toEqual(['par[0].x'])
  })

  it('fails when a branch fails, and cancels the others', () => {
    const document = toyDocument(
      [{ ...parallel(toyBody(['x']), toyBody(['y'])), onError: 'outcome' }, 'end'],
      ['par -failed-> end'],
    )
    const { start, open, fail, cancelled } = drive(document)
    start()
    open('par')
    expect(fail('par[1].y')).toEqual(['end'])
    expect(cancelled()).toEqual(['par[0].x'])
  })

  it('leaves what its branches did to the steps after it', () => {
    const fetch = (id: string, value: number) => ({ id, type: 'task', inputs: { value } })
    const sum = { $expr: 'steps.a.output.value + steps.b.output.value' }
    const run = runToy(
      toyDocument(
        [
          parallel(toyBody([fetch('a', 1)]), toyBody([fetch('b', 2)])),
          { id: 'end', type: 'set-output', inputs: { name: 'sum', value: sum } },
        ],
        ['par -> end'],
      ),
    )
    expect(toyVerdict(run)).toEqual({ status: 'completed', output: { sum: 3 } })
  })
})
