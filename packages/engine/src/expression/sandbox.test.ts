import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { systemClock } from '@lockstep/base'
import { afterEach, describe, expect, it } from 'vitest'
import { emptyScope } from './machine.fixture.ts'
import { openSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts'
import type { ExpressionScope } from './scope.ts'

// With the real thread, which runs from `dist`.

const opened: Sandbox[] = []
function open(options: Partial<SandboxOptions> = {}): Sandbox {
  const sandbox = openSandbox({ clock: systemClock, softLimitMs: 1_000, hardLimitMs: 4_000, ...options })
  opened.push(sandbox)
  return sandbox
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((sandbox) => sandbox.close()))
})

const scope: ExpressionScope = {
  input: { n: 2 },
  vars: { list: [3, 1, 2] },
  steps: { one: { output: 'a' }, two: { output: 'b' } },
  correlationId: 'c-1',
}

describe('the sandbox', () => {
  it('evaluates all of the language over the scope', async () => {
    const sandbox = open()
    expect(await sandbox.evaluate('input.n ** 10', scope)).toBe(1024)
    expect(await sandbox.evaluate('vars.list.sort((a, b) => a - b)', scope)).toEqual([1, 2, 3])
    expect(await sandbox.evaluate('Object.keys(steps).map((id) => steps[id].output)', scope)).toEqual(['a', 'b'])
    expect(await sandbox.evaluate('[steps.two.output, typeof item, index, correlationId]', scope)).toEqual([
      'b',
      'undefined',
      null,
      'c-1',
    ])
    expect(await sandbox.evaluate('new Date(Date.UTC(2024, 1, 29)).toISOString().slice(0, 10)', scope)).toBe(
      '2024-02-29',
    )
    expect(vars(scope)).toEqual([3, 1, 2])
  })

  it('evaluates scripts', async () => {
    const code = 'const seen = new Set(); for (const n of vars.list) seen.add(n % 2); return [...seen].sort()'
    expect(await open().evaluate(code, scope, { kind: 'script' })).toEqual([0, 1])
  })

  it('says what was wrong with an expression', async () => {
    const sandbox = open()
    await expect(sandbox.evaluate('1 +', scope)).rejects.toMatchObject({
      code: 'EXPRESSION_INVALID',
      details: { line: 1, column: 4 },
    })
    await expect(sandbox.evaluate('input.x.y', scope)).rejects.toMatchObject({
      code: 'EXPRESSION_FAILED',
      details: { expression: 'input.x.y', name: 'TypeError', message: expect.stringContaining('undefined') },
    })
    await expect(sandbox.evaluate('Math.random()', scope)).rejects.toThrow(/Randomness is not available/)
    await expect(sandbox.evaluate('new Date()', scope)).rejects.toThrow(/current time is not available/)
  })

  it('kills a thread that is stuck where nothing can stop it, and goes on with another', async () => {
    const sandbox = open({ softLimitMs: 1_000, hardLimitMs: 1_500 })
    expect(await sandbox.evaluate('1', emptyScope)).toBe(1)
    const stuck = sandbox.evaluate('Array(2 ** 32 - 1).join("").length', emptyScope)
    const behind = sandbox.evaluate('"next"', emptyScope)
    await expect(stuck).rejects.toMatchObject({ code: 'EXPRESSION_LIMIT', details: { limit: 'time' } })
    expect(await behind).toBe('next')
  })

  it.each([
    ['a loop', 'for (;;);', 'time'],
    ['memory', 'const all = []; for (;;) all.push("x".repeat(10000) + all.length)', 'memory|time'],
    ['recursion', 'const f = () => f() + 1; return f()', 'stack'],
    ['a long sort', 'return Array.from({ length: 1e6 }, (_, i) => (i * 7919) % 1000003).sort().length', 'memory|time'],
  ])('goes on after a limit: %s', async (_what, code, limits) => {
    const sandbox = open()
    const failed = await sandbox.evaluate(code, emptyScope, { kind: 'script' }).catch((error) => error)
    expect(failed).toMatchObject({ code: 'EXPRESSION_LIMIT' })
    expect(limits.split('|')).toContain(failed.details.limit)
    expect(await sandbox.evaluate('"next"', emptyScope)).toBe('next')
  })

  it('answers many at once, in several threads, each its own', async () => {
    const sandbox = open({ workers: 2 })
    const answers = Array.from({ length: 60 }, (_, n) =>
      sandbox.evaluate('(globalThis.n ??= input) ** 1', { ...emptyScope, input: n }),
    )
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 60 }, (_, n) => n))
  })

  it('gives up on an aborted evaluation without harm to the others', async () => {
    const sandbox = open()
    const abort = new AbortController()
    const running = sandbox.evaluate('(() => { for (;;); })()', emptyScope, { signal: abort.signal })
    const waiting = sandbox.evaluate('2 ** 2', emptyScope, { signal: abort.signal })
    const other = sandbox.evaluate('2 ** 3', emptyScope)
    abort.abort(new Error('no longer wanted'))
    await expect(running).rejects.toThrow('no longer wanted')
    await expect(waiting).rejects.toThrow('no longer wanted')
    expect(await other).toBe(8)
    await expect(sandbox.evaluate('1', emptyScope, { signal: abort.signal })).rejects.toThrow('no longer wanted')
  })

  it('refuses work once it is closed, and ends what is under way', async () => {
    const sandbox = open()
    const running = sandbox.evaluate('(() => { for (;;); })()', emptyScope).catch((error) => error)
    const waiting = sandbox.evaluate('1', emptyScope).catch((error) => error)
    await sandbox.close()
    expect(await running).toMatchObject({ code: 'SANDBOX_UNAVAILABLE' })
    expect(await waiting).toMatchObject({ code: 'SANDBOX_UNAVAILABLE' })
    await expect(sandbox.evaluate('1', emptyScope)).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      retryable: true,
    })
  })

  it('does not keep a process alive that has nothing else to do', async () => {
    const built = new URL('../../dist/expression/sandbox.js', import.meta.url)
    const program = `
      import { systemClock } from '@lockstep/base'
      import { openSandbox } from ${JSON.stringify(built.href)}
      console.log(await openSandbox({ clock: systemClock }).evaluate('2 ** 5', { input: null, vars: {}, steps: {} }))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
    })
    expect(stdout.trim()).toBe('32')
  })

  it('takes limits of its own', async () => {
    const sandbox = open({ outputBytes: 10, memoryBytes: 2 * 1024 * 1024 })
    await expect(sandbox.evaluate('"x".repeat(9)', emptyScope)).rejects.toMatchObject({ details: { limit: 'output' } })
    await expect(sandbox.evaluate('"x".repeat(3e6).length', emptyScope)).rejects.toMatchObject({
      details: { limit: 'memory' },
    })
    expect(() => open({ softLimitMs: 500, hardLimitMs: 500 })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    )
  })
})

function vars({ vars: { list } }: ExpressionScope): unknown {
  return list
}
