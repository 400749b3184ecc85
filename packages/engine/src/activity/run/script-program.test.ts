import { type Json, systemClock } from '@lockstep/base'
import { afterAll, describe, expect, it } from 'vitest'
import { openSandbox } from '../../expression/sandbox.ts'
import { scriptProgram, scriptResult } from './script-program.ts'

const sandbox = openSandbox({ clock: systemClock })
afterAll(() => sandbox.close())

async function run(code: string, vars: Record<string, Json> = {}) {
  const scope = { input: { n: 2 }, vars, steps: { a: { output: 5 } } }
  const answer = await sandbox.evaluate(scriptProgram(code), scope, { kind: 'script' })
  return scriptResult(answer, (name) => Object.hasOwn(vars, name))
}

describe('a script', () => {
  it('gives what it returns, nothing as null', async () => {
    expect(await run('const x = input.n * 2; return { x, a: steps.a.output }')).toEqual({
      kind: 'completed',
      outcome: 'done',
      output: { x: 4, a: 5 },
    })
    expect(await run('')).toMatchObject({ output: null })
    expect(await run('return undefined // with a comment at the end')).toMatchObject({ output: null })
  })

  it('assigns in order and leaves by the last outcome it chose', async () => {
    const code = 'setVariable("x", 1); setVariable("x", [input.n]); setVariable("y"); setOutcome("a"); setOutcome("b")'
    expect(await run(code, { x: 0, y: 0 })).toMatchObject({ outcome: 'b', assign: { x: [2], y: null } })
  })

  it.each([
    ['an error', 'let a = 1\n\nthrow new Error("no")', 'Error: no (line 3)', 'SCRIPT_FAILED'],
    ['inside of a function', 'const f = () => {\n  null.x\n}\nf()', '(line 2)', 'SCRIPT_FAILED'],
    ['a code of its own', 'throw Object.assign(new Error("out"), { code: "NO_STOCK" })', 'Error: out', 'NO_STOCK'],
    ['text', 'throw "plain"', 'Error: plain', 'SCRIPT_FAILED'],
    ['nothing', 'throw null', 'Error: null', 'SCRIPT_FAILED'],
    ['an assignment to a variable', '\nvars.x = 2', 'read-only (line 2)', 'SCRIPT_FAILED'],
    ['a variable that is not declared', 'setVariable("z", 1)', 'no variable is called "z"', 'SCRIPT_FAILED'],
    ['a wrong name', 'setVariable(1, 2)', 'setVariable takes', 'SCRIPT_FAILED'],
    ['a wrong outcome', 'setOutcome("")', 'setOutcome takes', 'SCRIPT_FAILED'],
    ['a promise', 'return (async () => 1)()', 'scripts do not wait', 'SCRIPT_FAILED'],
    ['the clock', 'return Date.now()', 'current time', 'SCRIPT_FAILED'],
  ])('that throws %s fails with its message', async (_, code, message, faultCode) => {
    const failure = await run(code, { x: 1 }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ message: expect.stringContaining(message), details: { faultCode } })
  })

  it.each([
    ['time', 'for (;;) {}'],
    ['memory', 'return "x".repeat(1e9)'],
    ['stack', 'const f = () => f() + 1; return f()'],
    ['output', 'return "x".repeat(300_000)'],
  ])('that takes too much %s meets the limit of expressions', async (limit, code) => {
    await expect(run(code)).rejects.toMatchObject({ code: 'EXPRESSION_LIMIT', details: { limit } })
  })

  it.each(['}) (); (() => {', 'return 1 })', '/*', '`', '});return $answer(() => {'])(
    'cannot reach out of its place: %s',
    (code) => {
      expect(() => scriptProgram(code)).toThrow(expect.objectContaining({ code: 'EXPRESSION_INVALID' }))
    },
  )

  it('that meddles with what it runs in harms nobody else', async () => {
    const code = `Object.prototype.toJSON = () => 'gone'; return 1`
    await expect(run(code)).rejects.toMatchObject({ details: { faultCode: 'SCRIPT_FAILED' } })
    await run(
      'Array.prototype[Symbol.iterator] = null; Object.defineProperty(Object.prototype, "threw", { value: 1 }); return 1',
    )
    expect(await run('return [1, 2].map((x) => x + 1)')).toMatchObject({ output: [2, 3] })
  })
})
