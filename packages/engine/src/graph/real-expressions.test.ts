import { describe, expect, it } from 'vitest'
import { builtInCatalogue } from '../activity/built-in.ts'
import { compileExpression } from '../expression/expression.ts'
import type { Fact } from '../journal/fact.ts'
import { applyFact } from './apply-fact.ts'
import { compileGraph } from './compile-graph.ts'
import type { GraphDocument } from './document.ts'
import { expressionScope } from './expression-scope.ts'
import { toyFact } from './fixtures/toy-shell.fixture.ts'
import { initialState } from './graph-state.ts'
import { fillTemplate } from './input-template.ts'
import { expressionParser } from './parse-expression.ts'
import { takeReady } from './ready.ts'
import { validateDocument } from './validate-document.ts'
import { verdict } from './verdict.ts'

const catalogue = builtInCatalogue()
const parseExpression = expressionParser(compileExpression)

const document: GraphDocument = {
  id: 'sum-of-orders',
  variables: { total: { type: 'number', default: 0 } },
  activities: [
    {
      id: 'loop',
      type: 'for-each',
      inputs: { items: { $expr: 'input.orders' } },
      body: {
        activities: [
          { id: 'big', type: 'if', inputs: { condition: { $expr: 'item.amount > input.limit' } } },
          { id: 'add', type: 'set-variable', inputs: { name: 'total', value: { $expr: 'vars.total + item.amount' } } },
        ],
        connections: [{ from: 'big', outcome: 'true', to: 'add' }],
      },
    },
    {
      id: 'out',
      type: 'set-output',
      inputs: { name: 'text', value: { $expr: 'vars.total + " of " + steps.loop.output.count' } },
    },
  ],
  connections: [{ from: 'loop', to: 'out' }],
}

describe('with the expressions of the product', () => {
  it('a document is checked, compiled and run', () => {
    expect(validateDocument(document, catalogue, { parseExpression })).toEqual([])
    const program = compileGraph(document, catalogue, compileExpression)
    const state = initialState(program)
    const orders = [{ amount: 5 }, { amount: 50 }, { amount: 70 }]
    let next: Fact[] = [{ kind: 'started', input: { orders, limit: 10 } }]
    while (next.length > 0) {
      for (const fact of next) applyFact(program, state, fact)
      next = takeReady(program, state).map((run) => {
        const scope = expressionScope(program, state, run.step)
        const values = run.activity.inputs.expressions.map((expression) => expression.evaluate!(scope)!)
        return toyFact(run as never, fillTemplate(run.activity.inputs, values))
      })
    }
    expect(verdict(state)).toEqual({ status: 'completed', output: { text: '120 of 3' } })
  })

  it('a mistake in an expression is found with its place', () => {
    const broken = { id: 'x', activities: [{ id: 'a', type: 'log', inputs: { message: { $expr: '1 +' } } }] }
    expect(validateDocument(broken, catalogue, { parseExpression })).toMatchObject([
      { pointer: '/activities/0/inputs/message', code: 'INVALID_EXPRESSION' },
    ])
  })

  it('names that an expression binds itself are not taken for ours', () => {
    const inputs = { message: { $expr: 'input.list.map((item) => item.id)' } }
    const bound = { id: 'x', activities: [{ id: 'a', type: 'log', inputs }] }
    expect(validateDocument(bound, catalogue, { parseExpression })).toEqual([])
  })
})
