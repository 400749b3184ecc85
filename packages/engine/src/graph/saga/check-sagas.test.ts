import type { JsonObject } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { compileExpression } from '../../expression/expression.ts'
import { toyCatalogue } from '../fixtures/toy-shell.fixture.ts'
import { expressionParser } from '../parse-expression.ts'
import { validateDocument } from '../validate-document.ts'

const task = (id: string, more: object = {}) => ({ id, type: 'task', ...more })
const check = (...activities: object[]): string[] =>
  validateDocument({ id: 'x', activities } as unknown as JsonObject, toyCatalogue, {
    parseExpression: expressionParser(compileExpression),
  }).map(({ pointer, code }) => `${pointer} ${code}`)
const undoneBy = (...activities: object[]) => ({ compensate: { activities } })

describe('what undoes a step', () => {
  it('may read the step, the failure and the turn, and hold loops of its own', () => {
    const seen = { $expr: '[steps.a.output, error.code, item, index]' }
    const inner = {
      id: 'in',
      type: 'for-each',
      inputs: { items: [1] },
      body: { activities: [{ id: 'out', type: 'break' }] },
    }
    const a = task('a', undoneBy(task('un', { inputs: { seen } }), inner))
    expect(check({ id: 'loop', type: 'for-each', inputs: { items: [1] }, body: { activities: [a] } })).toEqual([])
  })

  it('cannot be undone, undo other things, finish the workflow, or leave a loop that is over', () => {
    const bad = undoneBy(
      task('b', undoneBy(task('c'))),
      { id: 'd', type: 'compensate' },
      { id: 'e', type: 'finish' },
      { id: 'f', type: 'break' },
    )
    const loop = { id: 'loop', type: 'for-each', inputs: { items: [1] }, body: { activities: [task('a', bad)] } }
    const place = '/activities/0/body/activities/0/compensate/activities'
    expect(check(loop)).toEqual([
      `${place}/0/compensate NOT_IN_COMPENSATION`,
      `${place}/1 NOT_IN_COMPENSATION`,
      `${place}/2 NOT_IN_COMPENSATION`,
      `${place}/3 NOT_IN_A_LOOP`,
    ])
  })
})

describe('an activity compensate', () => {
  it('names an activity that exists, in a document that has something to undo', () => {
    expect(check({ id: 'undo', type: 'compensate', inputs: { scope: 'nobody' } })).toEqual([
      '/activities/0 NOTHING_TO_COMPENSATE',
      '/activities/0/inputs/scope UNKNOWN_STEP',
    ])
    expect(check(task('a', undoneBy(task('un'))), { id: 'undo', type: 'compensate', inputs: { scope: 'a' } })).toEqual(
      [],
    )
  })
})
