// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are expressions

import { beforeAll, describe, expect, it } from 'vitest'
import { emptyScope, type MachineHarness, openHarness } from './machine.fixture.ts'

let sandbox: MachineHarness
beforeAll(async () => {
  sandbox = await openHarness()
})

describe('one evaluation and the next', () => {
  it.each([
    ['a global', 'globalThis.left = 1', 'typeof left'],
    ['a prototype', 'Object.prototype.left = 1', 'typeof ({}).left'],
    ['an intrinsic', 'Array.prototype.map = () => "left", [1].map()', '[1].map((x) => x)'],
    ['a frozen global', 'Object.freeze(globalThis), 1', '(globalThis.free = 1, free)'],
    ['a deleted global', 'delete globalThis.JSON', 'typeof JSON'],
    ['a symbol registry', 'Symbol.for("left").description', 'Symbol.for("other").description'],
    ['a pending job', 'Promise.resolve().then(() => { globalThis.left = 1 }), 1', 'typeof left'],
    ['the data', 'input.secret = "left"', 'JSON.stringify(input)'],
  ])('share nothing: %s', async (_what, first, second) => {
    const alone = await (await openHarness()).line(second)
    await sandbox.line(first)
    expect(await sandbox.line(second)).toBe(alone)
  })

  it('share nothing after one that failed, was stopped or needed more memory', async () => {
    const quick = await openHarness({ softLimitMs: 300 })
    await quick.line('(globalThis.left = 1, null.x)')
    await quick.line('(globalThis.left = 1, (() => { for (;;); })())')
    await quick.line('(globalThis.left = "x".repeat(5e6), 1)')
    expect(await quick.line('typeof left')).toBe('"undefined"')
  })

  it('start from the same memory, so that the same program takes the same path', async () => {
    const source =
      '({ order: [..."kjhgfds"].sort(), stack: new Error().stack, keys: Object.keys(globalThis), at: new Date(5) })'
    const first = await sandbox.line(source)
    for (let index = 0; index < 20; index++) expect(await sandbox.line(source)).toBe(first)
    expect(await (await openHarness()).line(source)).toBe(first)
  })
})

describe('time of an evaluation', () => {
  /** Every look at the clock takes so long, of which the thread has the processor for a part. */
  const slowly = (eachMs: number, part: number) => {
    let now = 0
    return {
      monotonic: () => {
        now += eachMs
        return now
      },
      workedMs: () => now * part,
    }
  }
  const loop = 'let n = 0; for (let i = 0; i < 300_000; i++) n += i; return n'

  it('is what its thread has of the processor: a machine that is busy with others stops no sound program', async () => {
    const starved = await openHarness({ softLimitMs: 100 }, slowly(50, 0.001))
    expect(await starved.line(loop, emptyScope, 'script')).toBe('44999850000')
    const alone = await openHarness({ softLimitMs: 100 }, slowly(50, 1))
    expect(await alone.line(loop, emptyScope, 'script')).toBe('limit time')
  })

  it('ends at last where the thread gets little', async () => {
    const starved = await openHarness({ softLimitMs: 100 }, slowly(50, 0.1))
    expect(await starved.line('for (;;);', emptyScope, 'script')).toBe('limit time')
  })
})

describe('limits of an evaluation', () => {
  it.each([
    ['an endless loop', 'for (;;);', 'limit time'],
    ['an endless loop that catches', 'for (;;) { try { for (;;); } catch { } finally { continue } }', 'limit time'],
    ['a loop in a getter of what was thrown', 'throw { get message() { for (;;); } }', 'limit time'],
    ['a loop in the conversion of the answer', 'return { toJSON() { for (;;); } }', 'limit time'],
    ['a loop in a proxy of the answer', 'return new Proxy({}, { ownKeys() { for (;;); } })', 'limit time'],
    ['an endless generator', 'return [...(function* () { for (;;) yield })()]', 'limit memory|limit time'],
    ['an expression that backtracks', 'return /^(a+)+$/.test("a".repeat(50) + "b")', 'limit time'],
    ['a text that doubles', 'let s = "x"; for (;;) s += s', 'limit memory|limit time'],
    ['texts in a list', 'const l = []; for (;;) l.push("x".repeat(100000) + l.length)', 'limit memory|limit time'],
    ['one long text', 'return "x".repeat(1e9)', 'limit memory'],
    ['one long list', 'return new Array(1e9).fill(0)', 'limit memory|limit time'],
    ['one large buffer', 'return new Uint8Array(1e9).length', 'limit memory'],
    ['a number that doubles', 'let n = 3n; for (;;) n *= n', 'threw RangeError|limit time'],
    ['deep recursion', 'return (function f(n) { return 1 + f(n + 1) })(0)', 'limit stack'],
    ['recursion through the engine', 'const f = () => [1].map(f); return f()', 'limit stack'],
    ['recursion of a proxy', 'const p = new Proxy({}, {}); Object.setPrototypeOf(p, p); return p.x', 'limit stack'],
    ['recursion of a conversion', 'const o = { toString: () => `${o}` }; return `${o}`', 'limit stack'],
    ['a deep answer', 'let a = []; for (let i = 0; i < 64; i++) a = [a]; return a', 'limit depth'],
    ['a very deep answer', 'let a = []; for (let i = 0; i < 5000; i++) a = [a]; return a', 'limit depth|limit stack'],
    ['a long answer', 'return "x".repeat(300000)', 'limit output'],
    ['an answer of wide characters', 'return "é".repeat(140000)', 'limit output'],
    ['a pattern without end', 'return new RegExp("(".repeat(50000)).test("")', 'threw SyntaxError|limit stack'],
    ['a text without end to parse', 'return JSON.parse("[".repeat(100000))', 'limit stack|threw SyntaxError'],
  ])('%s', async (_what, source, outcome) => {
    const quick = await openHarness({ softLimitMs: 700 })
    expect(outcome.split('|')).toContain(await quick.line(source, emptyScope, 'script'))
    expect(await quick.line('1 + 1')).toBe('2')
  })

  it('an answer may be exactly as large and as deep as is allowed', async () => {
    expect(await sandbox.line('"x".repeat(262142)')).toHaveLength(262_144)
    expect(await sandbox.line('"x".repeat(262143)')).toBe('limit output')
    expect(
      await sandbox.line('let a = []; for (let i = 0; i < 63; i++) a = [a]; return a', emptyScope, 'script'),
    ).toHaveLength(128)
    expect(await sandbox.line('"[".repeat(1000)')).toHaveLength(1_002)
  })

  it('a program may recover from some of them', async () => {
    expect(
      await sandbox.line('try { "x".repeat(1e9) } catch (error) { return error.message }', emptyScope, 'script'),
    ).toBe('"out of memory"')
    const recovering = 'const f = () => f(); try { f() } catch (error) { return error.name }'
    expect(await sandbox.line(recovering, emptyScope, 'script')).toBe('"RangeError"')
  })

  it('data that does not fit is refused as memory', async () => {
    const small = await openHarness({ memoryBytes: 1024 * 1024 })
    expect(await small.line('input.length', { ...emptyScope, input: 'x'.repeat(300_000) })).toBe('limit memory')
    expect(
      await small.line('input.length', { ...emptyScope, input: Array.from({ length: 20_000 }, () => ({ a: 1 })) }),
    ).toBe('limit memory')
    expect(await small.line('input.length', { ...emptyScope, input: 'x'.repeat(1_000) })).toBe('1000')
  })
})

describe('a script', () => {
  it.each([
    ['return input.a + 1', '2'],
    ['const item = input.a * 10; let index = 1; return [item, index]', '[10,1]'],
    ['let sum = 0; for (const n of [1, 2, 3]) sum += n; return sum', '6'],
    ['const out = {}; for (const key in input) out[key.toUpperCase()] = input[key]; return out', '{"A":1}'],
    ['if (input.a) return; return 1', 'null'],
    ['input.a', 'null'],
    ['throw new RangeError("no")', 'threw RangeError'],
    ['throw "text"', 'threw Error'],
    ['undeclared = 1', 'threw ReferenceError'],
    ['return this === undefined', 'true'],
    ['"a".at(', 'invalid'],
  ])('%s', async (source, line) => {
    const found = sandbox.line(source, { ...emptyScope, input: { a: 1 } }, 'script')
    if (line === 'invalid') await expect(found).rejects.toMatchObject({ code: 'EXPRESSION_INVALID' })
    else expect(await found).toBe(line)
  })
})
