import { describe, expect, it } from 'vitest'
import { applyFact } from './apply-fact.ts'
import { drive } from './fixtures/toy-driver.fixture.ts'
import { toyBody, toyDocument } from './fixtures/toy-shell.fixture.ts'
import { isLive, resetReady, takeReady } from './ready.ts'

describe('a step', () => {
  it('is live until it ends, is cancelled, or the instance stands still', () => {
    const par = { id: 'par', type: 'parallel', branches: [toyBody(['x', 'y']), toyBody(['z'])] }
    const { state, start, open, done, fail } = drive(toyDocument([par, 'other']))
    expect(isLive(state, 'par')).toBe(false)
    start()
    open('par', { join: 'any' })
    expect(['par', 'par[0].x', 'par[1].z', 'other', 'toString'].map((step) => isLive(state, step))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ])
    done('par[0].x')
    expect(isLive(state, 'par[0].x')).toBe(false)
    done('par[0].y')
    expect(isLive(state, 'par[1].z')).toBe(false)
    fail('other')
    expect(isLive(state, 'other')).toBe(false)
  })
})

describe('what is ready', () => {
  it('is handed out once', () => {
    const { program, state, start } = drive(toyDocument(['a', 'b']))
    expect(start()).toEqual(['a', 'b'])
    expect(takeReady(program, state)).toEqual([])
  })

  it('does not include what was cancelled before anybody took it', () => {
    const par = { id: 'par', type: 'parallel', branches: [toyBody(['x']), toyBody(['y'])] }
    const { program, state, start } = drive(toyDocument([par, 'end'], ['par -> end']))
    start()
    applyFact(program, state, { kind: 'opened', step: 'par', join: 'any' })
    applyFact(program, state, { kind: 'completed', step: 'par[0].x', outcome: 'done' })
    expect(takeReady(program, state).map(({ step }) => step)).toEqual(['end'])
  })

  it('is after a restore all that is neither waiting nor open', () => {
    const loop = { id: 'loop', type: 'for-each', body: toyBody(['x']) }
    const { program, state, start, open, apply } = drive(toyDocument(['a', loop, 'w']))
    start()
    open('loop', { items: [1] })
    apply({ kind: 'waiting', step: 'w', wait: { kind: 'event', name: 'e' } })
    const restored = JSON.parse(JSON.stringify(state))
    resetReady(program, restored)
    expect(takeReady(program, restored).map(({ step }) => step)).toEqual(['a', 'loop[0].x'])
  })

  it('says after a restore that an announced attempt is unclear', () => {
    const { program, state, start, apply } = drive(toyDocument(['a', 'b']))
    start()
    apply({ kind: 'attempting', step: 'b', attempt: 1 })
    resetReady(program, state)
    expect(takeReady(program, state)).toMatchObject([
      { step: 'a', attempt: 1, unclear: false },
      { step: 'b', attempt: 1, unclear: true },
    ])
  })

  it('is clear again once the attempt is known to have failed', () => {
    const { program, state, start, apply } = drive(toyDocument(['a']))
    start()
    apply({ kind: 'attempting', step: 'a', attempt: 1 })
    apply({ kind: 'retrying', step: 'a', attempt: 1, error: { code: 'E', message: 'm' }, delayMs: 1 }, 0)
    apply({ kind: 'attempting', step: 'a', attempt: 2 })
    resetReady(program, state)
    expect(takeReady(program, state)).toMatchObject([{ attempt: 2, unclear: true }])
    apply({ kind: 'retrying', step: 'a', attempt: 2, error: { code: 'E', message: 'm' }, delayMs: 1 }, 0)
    expect(state.executions.a).toEqual({ activity: 'a', scope: '', phase: 'retrying', attempt: 3 })
  })
})
