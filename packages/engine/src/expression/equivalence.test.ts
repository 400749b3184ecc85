import type { Json } from '@lockstep/base'
import { systemClock } from '@lockstep/base'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { expressions, scopes } from './equivalence.fixture.ts'
import { ExpressionFailed, ExpressionInvalid, ExpressionLimit } from './errors.ts'
import { compileExpression } from './expression.ts'
import { OUTPUT_BYTES } from './limits.ts'
import { parseProgram } from './program.ts'
import { compileEngine } from './sandbox-engine.ts'
import { type Machine, openMachine } from './sandbox-machine.ts'
import { type ExpressionScope, scopeText } from './scope.ts'

/** Set both to look for differences with other cases than those of every day. */
const seed = Number(process.env.LOCKSTEP_FUZZ_SEED ?? 20_240_607)
const numRuns = Number(process.env.LOCKSTEP_FUZZ_RUNS ?? 12_000)

let machine: Machine
beforeAll(async () => {
  const engine = await compileEngine()
  const settings = { engine, softLimitMs: 2_000, memoryBytes: 16 * 1024 * 1024, outputBytes: OUTPUT_BYTES }
  machine = await openMachine(settings, () => systemClock.monotonic())
})

async function inSandbox(source: string, scope: ExpressionScope): Promise<string> {
  const { text, references } = parseProgram(source, 'expression')
  const outcome = machine.run({ program: text, scope: scopeText(scope, references) })
  await machine.reset()
  if (outcome.status === 'value') return outcome.json
  return outcome.status === 'threw'
    ? `threw ${outcome.name}`
    : outcome.status === 'limit'
      ? `limit ${outcome.limit}`
      : 'invalid'
}

/** `undefined`: not decided in process. */
function inProcess(source: string, scope: ExpressionScope): string | undefined {
  try {
    const answer = compileExpression(source).evaluate?.(scope)
    return answer === undefined ? undefined : JSON.stringify(answer)
  } catch (error) {
    if (ExpressionFailed.is(error)) return `threw ${error.details.name}`
    if (ExpressionLimit.is(error)) return `limit ${error.details.limit}`
    if (ExpressionInvalid.is(error)) return 'invalid'
    throw error
  }
}

describe('the evaluator and the sandbox', () => {
  it('answer alike, or fail alike, whatever the expression and the data', async () => {
    const counts = { answered: 0, threw: 0, left: 0 }
    await fc.assert(
      fc.asyncProperty(expressions, scopes, async (source, scope) => {
        const here = inProcess(source, scope as unknown as ExpressionScope)
        if (here === undefined) counts.left++
        else if (here.startsWith('threw')) counts.threw++
        else counts.answered++
        if (here !== undefined) expect(here).toBe(await inSandbox(source, scope as unknown as ExpressionScope))
      }),
      { numRuns, seed },
    )
    // The comparison is worth something only while most cases are decided here, and not all of them by an error.
    console.log(counts)
    expect(counts.answered).toBeGreaterThan(numRuns / 3)
    expect(counts.threw).toBeGreaterThan(numRuns / 50)
  }, 120_000)
})

export type { Json }
