// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are expressions

import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { expressions, scopes } from './equivalence.fixture.ts'
import { ExpressionFailed, ExpressionLimit } from './errors.ts'
import { compileExpression } from './expression.ts'
import { emptyScope, type MachineHarness, openHarness } from './machine.fixture.ts'
import { isInherited } from './pure/property.ts'
import type { ExpressionScope } from './scope.ts'

/** Set both to look for differences with other cases than those of every day. */
const seed = Number(process.env.LOCKSTEP_FUZZ_SEED ?? 20_240_607)
const numRuns = Number(process.env.LOCKSTEP_FUZZ_RUNS ?? 6_000)

let sandbox: MachineHarness
beforeAll(async () => {
  sandbox = await openHarness()
})

/** `undefined`: not decided in process. */
function inProcess(source: string, scope: ExpressionScope): string | undefined {
  try {
    const answer = compileExpression(source).evaluate?.(scope)
    return answer === undefined ? undefined : JSON.stringify(answer)
  } catch (error) {
    if (ExpressionFailed.is(error)) return `threw ${error.details.name}`
    if (ExpressionLimit.is(error)) return `limit ${error.details.limit}`
    throw error
  }
}

describe('the evaluator and the sandbox', () => {
  it('answer alike, or fail alike, whatever the expression and the data', async () => {
    const counts = { answered: 0, threw: 0, left: 0 }
    await fc.assert(
      fc.asyncProperty(expressions, scopes, async (source, scope) => {
        const here = inProcess(source, scope)
        counts[here === undefined ? 'left' : here.startsWith('threw') ? 'threw' : 'answered']++
        if (here !== undefined) expect(here).toBe(await sandbox.line(source, scope))
      }),
      { numRuns, seed },
    )
    // The comparison is worth something only while most cases are decided here, and not all of them by an error.
    expect(counts.answered).toBeGreaterThan(numRuns / 3)
    expect(counts.threw).toBeGreaterThan(numRuns / 50)
    expect(counts.left).toBeLessThan(numRuns / 5)
  }, 600_000)

  const minusZero: ExpressionScope = { ...emptyScope, input: -0 }
  const named: ExpressionScope = {
    ...emptyScope,
    input: JSON.parse('{"toString":1,"valueOf":2,"__proto__":{"a":3},"10":1,"2":1}'),
  }
  it.each<[string, ExpressionScope?]>([
    // Each of these differed once, or differs between engines.
    ['({ ...({ ..."a" }) })'],
    ['"".repeat(2147483648)'],
    ['"x".repeat(1e21)'],
    ['"0".padEnd(1, ({ toString: 1 }))'],
    ['`${({ toString: 1 })}${JSON.parse("{")}`'],
    ['({ [({ toString: 1 })]: JSON.parse("{") })'],
    ['1 / input', minusZero],
    ['1 / -input < 0', minusZero],
    ['[1 / Math.round(-0.4), Math.max(-0, 0), Math.min(0, -0)]'],
    ['[input, -input, `${-input}`, (-input).toFixed(1)]', minusZero],
    ['[`${[input]}`.length]', named],
    ['input + ""', named],
    ['input == 1', named],
    ['[input]', named],
    ['Object.keys(input)', named],
    ['Object.keys({ b: 1, 4294967295: 1, 4294967294: 1, 2: 1, "-1": 1, "01": 1 })'],
    ['[null, undefined, [null], [[]], {}].join()'],
    ['[[] + [], [] + {}, [1] + [2, 3], null + 1, undefined + 1, true + true, "3" * "4"]'],
    ['[null == 0, null >= 0, undefined == null, "" == 0, "0" == false, [] == false, [0] == 0, [1, 2] == "1,2"]'],
    ['["b" > "a", "10" < "9", "10" < 9, "é" < "z", "😀" < "\\uffff", null < 1, undefined < 1, [2] > 1]'],
    ['[1 << 31, 1 << 32, 2147483648 | 0, 4294967295 >> 0, -1 >>> 0, -1 >>> 31, 1e21 | 0, NaN | 0, ~~"7.9"]'],
    ['[5 % 3, -5 % 3, 5 % -3, 5.5 % 2, -0 % 5, 5 % 0, 1e308 % 3]'],
    ['[0.1 + 0.2, 1e21 + 1, 1e-7, 123456789.123456789, 5e-324, 1.7976931348623157e308, 4.35, 0.000001, 1e300 * 1e10]'],
    [
      '[(1.005).toFixed(2), (1e21).toFixed(2), (0.5).toFixed(0), (1.5).toFixed(0), (2.5).toFixed(0), (-1.5).toFixed(0)]',
    ],
    ['[(123.456).toFixed(20), (5e-324).toFixed(100), (0).toFixed(), (-0.0000001).toFixed(2)]'],
    [
      '[Math.round(0.49999999999999994), Math.round(-0.5), Math.round(2.5), Math.round(-2.5), Math.round(4503599627370495.5)]',
    ],
    [
      '["", " ", "0x1f", "0b1", "0o7", "1e3", "-0", "+5", "Infinity", "1_0", "٣", "\\ufeff3", "5n", ".", "1e1000"].map(Number)',
    ],
    [
      '["12px", " 7", "0x1f", "1e3", "-0", "", "-", "0.5", "٣", "123456789012345678"].map((v) => [parseInt(v), parseFloat(v)])',
    ],
    [
      '[parseInt("zz", 36), parseInt("12", 1), parseInt("12", 37), parseInt("101", 2), parseInt("12", "8"), parseInt("0x1f", 16)]',
    ],
    ['["abc".slice(-2), "abc".slice(2, 1), "abc".substring(2, 1), "abc".at(-1), "abc".charAt(9), "abc".charCodeAt(9)]'],
    [
      '["a,b,".split(","), "".split(","), "".split(""), "abc".split(""), "abc".split(), "a1b1".split(1), "anullb".split(null)]',
    ],
    [
      '["aaa".replace("a", "b"), "aaa".replaceAll("a", "b"), "abc".replaceAll("", "-"), "a".replace("x"), "undefined".replace()]',
    ],
    ['["abc".padStart(6, "12"), "abc".padEnd(6, ""), "abc".padStart(2), "a".padEnd(3, undefined), "a".padEnd("3", 0)]'],
    [
      '["abc".indexOf(""), "abc".indexOf("", 9), "abc".lastIndexOf(""), "abc".includes("c", -9), "abc".endsWith("b", 2)]',
    ],
    ['[..."a😀\\ud83d"].map((v) => v.length)'],
    [
      'JSON.stringify(["\\ud83d", "\\u2028", "\\u007f", "\\b\\f\\n\\r\\t\\"\\\\", "\\u0001", undefined, { a: undefined }])',
    ],
    [
      '["{\\"a\\":1,\\"a\\":2}", "[1e999, -0, 1E5]", " 1 ", "\\"\\\\ud83d\\"", "{\\"__proto__\\":1}"].map((v) => JSON.parse(v))',
    ],
    [
      '[[3, [2, [1]]].flat(), [3, [2, [1]]].flat(9), [3, [2]].flat(0), [[1]].flat("x"), [1, 2, 3].at(-1), [1, 2, 3].slice(-2)]',
    ],
    ['[[NaN].includes(NaN), [NaN].indexOf(NaN), [undefined].includes(), [0].includes(-0), [1, 2, 1].lastIndexOf(1)]'],
    ['[[1, 2, 3].reduceRight((a, b) => a + "-" + b), [].reduce((a, b) => a, 7), [5].reduce((a, b) => 9)]'],
    ['[[1, 2, 3].findLast((v) => v < 3), [1].find((v) => v > 3), [1, 2].findLastIndex((v) => v), [].every((v) => v)]'],
    ['["x" in { x: undefined }, 0 in [1], "0" in [1], 1 in [1], "length" in []]'],
    ['[typeof null, typeof [], typeof undefined, typeof "", typeof 1, typeof true, void 1]'],
    ['[{}?.a?.b.c, null?.a, null?.[1 / 0], undefined?.a.b.c, ({ a: null }).a?.b.c.d]'],
    ['({ ...[1, 2], ...null, ...undefined, ...5, ...true, a: 1, ["a"]: 2, 0: "first" })'],
    ['Object.fromEntries([["a", 1], ["a", 2], ["__proto__", 3], [undefined], []])'],
    ['[Object.keys("ab"), Object.values("a😀"), Object.entries([7]), Object.keys(5), Object.keys([])]'],
    [
      '[String(), String(null), String([1, [2]]), String({}), Number(), Number([]), Number([5]), Number({}), Boolean("")]',
    ],
  ])('agree on %s', async (source, scope = emptyScope) => {
    const here = inProcess(source, scope)
    if (here !== undefined) expect(here).toBe(await sandbox.line(source, scope))
    else expect(compileExpression(source).pure).toBe(true)
  })

  it('agree on the case of every letter whose case is settled, and on all white space', async () => {
    const source = `[
      Array.from({ length: 0x180 }, (_, unit) => String.fromCharCode(unit).toUpperCase()),
      Array.from({ length: 0x180 }, (_, unit) => String.fromCharCode(unit).toLowerCase()),
      Array.from({ length: 0x10000 }, (_, unit) => unit).filter((unit) => String.fromCharCode(unit).trim() === ''),
    ]`
    const settled = Array.from({ length: 0x180 }, (_, unit) => String.fromCharCode(unit))
    const spaces = Array.from({ length: 0x10000 }, (_, unit) => unit).filter(
      (unit) => String.fromCharCode(unit).trim() === '',
    )
    const here = [settled.map((letter) => letter.toUpperCase()), settled.map((letter) => letter.toLowerCase()), spaces]
    expect(await sandbox.line(source)).toBe(JSON.stringify(here))
  })

  it('agree on which names a value inherits', async () => {
    const source = '[{}, [], "", 0, true].map((value) => Object.getOwnPropertyNames(Object.getPrototypeOf(value)))'
    const inherited = JSON.parse(await sandbox.line(source)) as string[][]
    const values = [{}, [], '', 0, true]
    const unknown = inherited.flatMap((names, index) => names.filter((name) => !isInherited(values[index], name)))
    expect(unknown).toEqual([])
  })
})
