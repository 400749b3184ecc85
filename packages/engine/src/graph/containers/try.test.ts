import { describe, expect, it } from 'vitest'
import { expressionScope } from '../expression-scope.ts'
import { drive } from '../fixtures/toy-driver.fixture.ts'
import { toyBody, toyDocument } from '../fixtures/toy-shell.fixture.ts'
import { verdict } from '../verdict.ts'

const body = toyBody(['x', 'y', 'z'], ['x -> y'])
const guard = (more = {}) => ({ id: 'guard', type: 'try', body, ...more })
const handler = { catch: toyBody(['c']) }
const last = { finally: toyBody(['f']) }
const document = (more = {}) => toyDocument([guard(more), 'end', 'rescue'], ['guard -> end', 'guard -caught-> rescue'])

describe('try', () => {
  it('leaves through done when its body succeeds', () => {
    const { start, open, done } = drive(document(handler))
    start()
    expect(open('guard')).toEqual(['guard.x', 'guard.z'])
    done('guard.x')
    done('guard.y')
    expect(done('guard.z')).toEqual(['end'])
  })

  it('cancels the rest of the body, runs catch with the error and leaves through caught', () => {
    const { program, state, start, open, done, fail, cancelled } = drive(document(handler))
    start()
    open('guard')
    expect(fail('guard.x', { code: 'NO_STOCK', data: { sku: 7 } })).toEqual(['guard:catch.c'])
    expect(cancelled()).toEqual(['guard.z'])
    expect(expressionScope(program, state, 'guard:catch.c').error).toEqual({
      code: 'NO_STOCK',
      message: 'it broke',
      step: 'guard.x',
      data: { sku: 7 },
    })
    expect(done('guard:catch.c')).toEqual(['rescue'])
  })

  it('leaves through done after a catch when nothing is connected to caught', () => {
    const { start, open, done, fail } = drive(toyDocument([guard(handler), 'end'], ['guard -> end']))
    start()
    open('guard')
    fail('guard.x')
    expect(done('guard:catch.c')).toEqual(['end'])
  })

  it('runs finally after a body that succeeded', () => {
    const { start, open, done } = drive(document({ ...handler, ...last }))
    start()
    open('guard')
    done('guard.x')
    done('guard.y')
    expect(done('guard.z')).toEqual(['guard:finally.f'])
    expect(done('guard:finally.f')).toEqual(['end'])
  })

  it('runs finally after a catch', () => {
    const { start, open, done, fail } = drive(document({ ...handler, ...last }))
    start()
    open('guard')
    fail('guard.x')
    expect(done('guard:catch.c')).toEqual(['guard:finally.f'])
    expect(done('guard:finally.f')).toEqual(['rescue'])
  })

  it('passes a failure on after finally when there is no catch', () => {
    const { state, program, start, open, done, fail } = drive(document(last))
    start()
    open('guard')
    expect(fail('guard.x')).toEqual(['guard:finally.f'])
    expect(expressionScope(program, state, 'guard:finally.f').error).toMatchObject({ code: 'BROKEN' })
    expect(verdict(state)).toBeUndefined()
    done('guard:finally.f')
    expect(verdict(state)).toEqual({
      status: 'faulted',
      error: { code: 'BROKEN', message: 'it broke', step: 'guard.x' },
    })
  })

  it('passes the failure of its catch on, after finally', () => {
    const { state, start, open, done, fail } = drive(document({ ...handler, ...last }))
    start()
    open('guard')
    fail('guard.x')
    expect(fail('guard:catch.c', { code: 'WORSE' })).toEqual(['guard:finally.f'])
    done('guard:finally.f')
    expect(verdict(state)).toMatchObject({ status: 'faulted', error: { code: 'WORSE', step: 'guard:catch.c' } })
  })

  it('passes the failure of its finally on', () => {
    const { state, start, open, done, fail } = drive(document({ ...handler, ...last }))
    start()
    open('guard')
    fail('guard.x')
    done('guard:catch.c')
    fail('guard:finally.f', { code: 'LAST' })
    expect(verdict(state)).toMatchObject({ status: 'faulted', error: { code: 'LAST' } })
  })

  it('hands a failure to the try around it', () => {
    const outer = { id: 'outer', type: 'try', body: toyBody([guard(last)]), catch: toyBody(['o']) }
    const { start, open, done, fail } = drive(toyDocument([outer]))
    start()
    open('outer')
    open('outer.guard')
    expect(fail('outer.guard.x')).toEqual(['outer.guard:finally.f'])
    expect(done('outer.guard:finally.f')).toEqual(['outer:catch.o'])
  })

  it('catches from inside loops and branches, dropping all of them', () => {
    const loop = { id: 'loop', type: 'for-each', body: toyBody(['deep']) }
    const { start, open, fail, cancelled, state } = drive(
      toyDocument([{ id: 'guard', type: 'try', body: toyBody([loop]), catch: toyBody(['c']) }]),
    )
    start()
    open('guard')
    open('guard.loop', { items: [1, 2, 3], concurrency: 3 })
    expect(fail('guard.loop[1].deep')).toEqual(['guard:catch.c'])
    expect(cancelled()).toEqual(['guard.loop[0].deep', 'guard.loop[2].deep'])
    expect(Object.keys(state.scopes)).toEqual(['', 'guard:catch'])
  })

  it('does not catch what the onError of a step deals with', () => {
    const lenient = { id: 'x', type: 'task', onError: 'outcome' as const }
    const inner = toyBody([lenient, 'y', 'n'], ['x -failed-> n', 'x -> y'])
    const { program, state, start, open, fail } = drive(
      toyDocument([{ id: 'guard', type: 'try', body: inner, ...handler }]),
    )
    start()
    open('guard')
    expect(fail('guard.x')).toEqual(['guard.n'])
    expect(expressionScope(program, state, 'guard.n').error).toBeUndefined()
  })

  it('copes with empty parts', () => {
    const empty = toyBody([])
    const { start, open } = drive(
      toyDocument([{ id: 'guard', type: 'try', body: empty, catch: empty, finally: empty }, 'end'], ['guard -> end']),
    )
    start()
    expect(open('guard')).toEqual(['end'])
  })

  it('takes an empty catch as one that ran', () => {
    const { start, open, fail } = drive(document({ catch: toyBody([]) }))
    start()
    open('guard')
    expect(fail('guard.x')).toEqual(['rescue'])
  })
})
