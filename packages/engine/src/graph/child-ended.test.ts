import { describe, expect, it } from 'vitest'
import { childEnded } from './child-ended.ts'
import { drive } from './fixtures/toy-driver.fixture.ts'
import { toyDocument } from './fixtures/toy-shell.fixture.ts'

const kid = { id: 'kid', type: 'run-workflow', inputs: { definitionId: 'other' } }
const after = (connections: readonly string[], payload: unknown) => {
  const { program, state, start } = drive(toyDocument([kid, 'next'], [...connections]))
  start()
  return childEnded(program, state, 'kid', payload)
}
const faulted = { status: 'faulted', output: null, error: { code: 'E', message: 'broke' } }

describe('the end of a child', () => {
  it('is the end of the step, with its output', () => {
    expect(after([], { status: 'completed', output: { n: 1 } })).toEqual({
      kind: 'completed',
      step: 'kid',
      outcome: 'done',
      output: { n: 1 },
      by: 'child',
    })
  })

  it('is a failure of the step where nothing is connected for it', () => {
    expect(after([], faulted)).toMatchObject({
      kind: 'failed',
      attempt: 1,
      error: { code: 'CHILD_FAULTED', message: 'broke', data: { code: 'E', message: 'broke' } },
    })
    expect(after([], { status: 'terminated', output: null, error: null })).toMatchObject({
      kind: 'failed',
      error: { code: 'CHILD_CANCELLED', message: 'The child workflow ended as terminated' },
    })
  })

  it('leaves through the outcome that is connected for it', () => {
    expect(after(['kid -faulted-> next'], faulted)).toMatchObject({
      kind: 'completed',
      outcome: 'faulted',
      output: { error: { code: 'E', message: 'broke' } },
    })
  })

  it('is a failure when the message makes no sense', () => {
    expect(after([], 'gibberish')).toMatchObject({ kind: 'failed', error: { code: 'CHILD_FAULTED' } })
  })
})
