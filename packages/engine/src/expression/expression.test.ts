import type { Json } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { compileExpression, compileScript, evaluateExpression } from './expression.ts'
import type { Sandbox } from './sandbox.ts'
import type { ExpressionScope } from './scope.ts'

const scope: ExpressionScope = { input: { a: 1 }, vars: {}, steps: {} }

function sandboxThatAnswers(answer: Json) {
  const asked: string[] = []
  const sandbox: Sandbox = {
    outputBytes: 1_000_000,
    evaluate: async (source) => {
      asked.push(source)
      return answer
    },
    close: async () => {},
  }
  return { sandbox, asked }
}

describe('evaluating an expression', () => {
  it('asks no sandbox for what can be answered here, even where the answer is null or false', async () => {
    const { sandbox, asked } = sandboxThatAnswers('from the sandbox')
    expect(await evaluateExpression(compileExpression('input.a'), scope, sandbox)).toBe(1)
    expect(await evaluateExpression(compileExpression('input.b'), scope, sandbox)).toBeNull()
    expect(await evaluateExpression(compileExpression('input.a > 1'), scope, sandbox)).toBe(false)
    expect(asked).toEqual([])
  })

  it('asks it for what is not of the subset, and for what a scope takes out of it', async () => {
    const { sandbox, asked } = sandboxThatAnswers('from the sandbox')
    expect(await evaluateExpression(compileExpression('2 ** 3'), scope, sandbox)).toBe('from the sandbox')
    expect(await evaluateExpression(compileExpression('1 / (input.a - 1)'), scope, sandbox)).toBe('from the sandbox')
    expect(asked).toEqual(['2 ** 3', '1 / (input.a - 1)'])
  })

  it('does not ask it again about an expression that failed here', async () => {
    const { sandbox, asked } = sandboxThatAnswers(null)
    const failing = evaluateExpression(compileExpression('input.b.c'), scope, sandbox)
    await expect(failing).rejects.toMatchObject({
      code: 'EXPRESSION_FAILED',
      details: { expression: 'input.b.c', name: 'TypeError' },
    })
    expect(asked).toEqual([])
  })

  it('says what an expression and a script refer to', () => {
    expect(compileExpression('steps.a.output + vars.b').references).toEqual(['steps.a', 'vars'])
    expect(compileScript('const item = input; return item').references).toEqual(['input'])
    expect(() => compileScript('return (')).toThrow(expect.objectContaining({ code: 'EXPRESSION_INVALID' }))
  })
})
