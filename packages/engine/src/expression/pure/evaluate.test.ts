// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are expressions

import { describe, expect, it } from 'vitest'
import { compileExpression } from '../expression.ts'
import type { ExpressionScope } from '../scope.ts'
import { isInherited } from './property.ts'

const scope: ExpressionScope = {
  input: {
    amount: 1200,
    customer: { name: 'Ada', tags: ['vip', 'eu'] },
    lines: [
      { sku: 'a', qty: 2 },
      { sku: 'b', qty: 5 },
    ],
  },
  vars: { attempts: 2, limit: '1000', 'odd key': 1 },
  steps: { ask: { output: { approved: true } } },
  item: 'x',
  index: 3,
  correlationId: null,
}

function evaluate(source: string, given: ExpressionScope = scope): unknown {
  const { evaluate: run } = compileExpression(source)
  if (run === undefined) throw new Error(`not pure: ${source}`)
  return run(given)
}

describe('the evaluator in process', () => {
  it.each<[string, unknown]>([
    ['input.amount > 1000', true],
    ['input.amount + vars.attempts * 2', 1204],
    ['input.amount + vars.limit', '12001000'],
    ['input.amount >= vars.limit', true],
    ['`order of ${input.amount} by ${input.customer.name}`', 'order of 1200 by Ada'],
    ['steps.ask.output.approved ? "yes" : "no"', 'yes'],
    ['vars["odd key"]', 1],
    ['input.customer?.address?.street.length', null],
    ['input.customer.address?.street ?? "none"', 'none'],
    ['input.lines.map((line) => line.qty).reduce((sum, qty) => sum + qty, 0)', 7],
    ['input.lines.find((line) => line.sku === "b")', { sku: 'b', qty: 5 }],
    ['input.customer.tags.includes("vip") && !input.customer.tags.includes("us")', true],
    ['[...input.customer.tags, item].map((tag, place) => tag.toUpperCase() + place).join("|")', 'VIP0|EU1|X2'],
    ['({ ...input.customer, name: "Bob", [item]: index })', { name: 'Bob', tags: ['vip', 'eu'], x: 3 }],
    ['Object.fromEntries(input.lines.map((line) => [line.sku, line.qty]))', { a: 2, b: 5 }],
    ['Math.max(...input.lines.map((line) => line.qty), 1)', 5],
    ['(19.999).toFixed(2)', '20.00'],
    ['JSON.parse(JSON.stringify(input.lines))[1].qty', 5],
    ['[0, "", null, "a", 5].filter(Boolean)', ['a', 5]],
    ['["1", "2"].map(Number)', [1, 2]],
    ['correlationId ?? "no correlation"', 'no correlation'],
    ['error', null],
    ['typeof error', 'undefined'],
    ['"amount" in input && !("x" in input)', true],
    ['(1, 2)', 2],
    ['[1, [2, [3]]].flat(2)', [1, 2, 3]],
    ['[[1], [2]].flatMap((pair) => pair)', [1, 2]],
    [
      'input.lines.map((line) => input.lines.map((other) => line.qty * other.qty))',
      [
        [4, 10],
        [10, 25],
      ],
    ],
    ['"a-b-c".split("-").toReversed().join("")', 'cba'],
    ['"😀".length + [..."😀"].length', 3],
  ])('%s', (source, answer) => {
    expect(evaluate(source)).toEqual(answer)
  })

  it.each<[string, unknown]>([
    ['undefined', null],
    ['0 / 1 * -1', 0],
    ['NaN', null],
    ['1e308 * 10', null],
    ['[undefined, NaN, -Infinity]', [null, null, null]],
    ['({ a: undefined, b: NaN, c: [undefined] })', { b: null, c: [null] }],
    ['[-1 * 0]', [0]],
  ])('answers what JSON makes of %s', (source, answer) => {
    const found = evaluate(source)
    expect(found).toStrictEqual(answer)
    expect(JSON.parse(JSON.stringify(found))).toStrictEqual(found)
  })

  it.each([
    ['input.none.x', 'TypeError'],
    ['null.x', 'TypeError'],
    ['input.amount.map((x) => x)', 'TypeError'],
    ['input.customer.trim()', 'TypeError'],
    ['[].reduce((a, b) => a + b)', 'TypeError'],
    ['"x".repeat(-1)', 'RangeError'],
    ['(1).toFixed(101)', 'RangeError'],
    ['JSON.parse("{")', 'SyntaxError'],
    ['[...5]', 'TypeError'],
    ['"a" in "abc"', 'TypeError'],
    ['Object.keys(null)', 'TypeError'],
  ])('%s fails as EXPRESSION_FAILED', (source, name) => {
    expect(() => evaluate(source)).toThrow(
      expect.objectContaining({ code: 'EXPRESSION_FAILED', details: expect.objectContaining({ name }) }),
    )
  })

  it.each([
    'input.constructor',
    'input["__proto__"]',
    '"".constructor',
    '[].map',
    '(5).toFixed',
    'input.lines.push',
    '"toString" in input',
    '1 / 0',
    '1 / -0',
    'input === input',
    '[input].includes(input)',
    '"Σ".toLowerCase()',
    '"a".replace("a", "$&")',
    '({ ..."ab" })',
    '"x".repeat(2000000)',
    'parseInt("99999999999999999999")',
  ])('%s is left to the sandbox while it is evaluated', (source) => {
    expect(compileExpression(source).pure).toBe(true)
    expect(evaluate(source)).toBeUndefined()
  })

  it.each([
    'nowhere',
    'input.customer.shout()',
    'input.lines.filter(({ qty }) => qty)',
    'globalThis',
    'this',
    'new Date(0)',
    'Math.random()',
    'Math.sin(1)',
    '2 ** 3',
    '10n',
    '/a/.test("a")',
    '[1, , 2]',
    '(() => 1)()',
    'input.lines.map((x) => { return x })',
    'input.lines.map(async (x) => x)',
    'input.lines.map(function (x) { return x })',
    'input.lines.map(parseInt)',
    'input.lines.sort()',
    '[3, 1].toSorted((a, b) => a - b)',
    'x => x',
    '(input.a = 1)',
    'index++',
    'delete input.a',
    'input instanceof Object',
    '({ __proto__: null })',
    '({ "__proto__": input })',
    '({ get a() { return 1 } })',
    '({ a() { return 1 } })',
    'input.lines?.["map"]((x) => x)',
    'Math["max"](1)',
    'input.f?.()',
    'String.raw`x`',
    'import("node:fs")',
    'Object.prototype',
    'Array.from([1])',
    'JSON.stringify(input, null, 2)',
    `${'!'.repeat(350)}1`,
  ])('%s is not of the subset', (source) => {
    expect(compileExpression(source).pure).toBe(false)
  })

  it('knows every name that a value inherits, so that none is taken for missing data', () => {
    for (const value of [{}, [], '', 0, true]) {
      for (let proto = Object.getPrototypeOf(value); proto !== null; proto = Object.getPrototypeOf(proto)) {
        for (const name of Object.getOwnPropertyNames(proto))
          expect([name, isInherited(value, name)]).toEqual([name, true])
      }
    }
  })

  it('reads own members whatever their name', () => {
    const given = { ...scope, input: JSON.parse('{"constructor":1,"__proto__":{"x":2},"toString":3,"length":4}') }
    expect(evaluate('[input.constructor, input.__proto__.x, input["toString"], input.length, input.x]', given)).toEqual(
      [1, 2, 3, 4, null],
    )
    expect(() => evaluate('`${input}`', given)).toThrow(expect.objectContaining({ code: 'EXPRESSION_FAILED' }))
    const copy = evaluate('({ ...input, ["__proto__"]: { y: 5 } })', given) as object
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    expect(Object.getOwnPropertyDescriptor(copy, '__proto__')?.value).toEqual({ y: 5 })
    expect(({} as { y?: number }).y).toBeUndefined()
  })

  it('leaves the data as it was', () => {
    const frozen = JSON.parse(JSON.stringify(scope), (_key, value) => Object.freeze(value))
    expect(evaluate('[input.lines.concat([1]).flat().toReversed().slice(1), { ...input }].length', frozen)).toBe(2)
  })
})

describe('budgets of the evaluator', () => {
  const numbers: ExpressionScope = { ...scope, input: Array.from({ length: 1_000 }, (_, index) => index) }

  it.each([
    'input.map((a) => input.map((b) => a * b))',
    'input.reduce((text) => text + text, "x")',
    'input.map((a) => JSON.stringify(input))',
    'JSON.stringify(input.slice(0, 60).reduce((all) => [all, all], input))',
    'JSON.stringify(input.slice(0, 60).reduce((all) => ({ all, also: all }), []))',
    'input.slice(0, 60).reduce((all) => [all, all], [1]).flat(Infinity).length',
    '`${input.slice(0, 60).reduce((all) => [all, all], [1])}`',
    'input.slice(0, 16).reduce((all) => [all, all], Object.fromEntries(input.map((a) => [a, undefined])))',
    'input.flatMap((a) => input)',
    'input.reduce((all) => all.concat(all), [1])',
    'input.reduce((all) => [...all, ...all], [1])',
    '"x".padStart(3000000)',
    'input.map((a) => "x".repeat(100000) === "y".repeat(100000))',
    'input.map((a) => Number("1".repeat(100000)))',
    '"a".repeat(500000).includes("a".repeat(250000))',
    '"a".repeat(100000).replaceAll("a", "b".repeat(100000))',
  ])('too much work is left to the sandbox: %s', (source) => {
    expect(compileExpression(source).pure).toBe(true)
    expect(evaluate(source, numbers)).toBeUndefined()
  })

  // Each is far more work than its text is long: 20 searches kept the thread for up to 80 ms, others for longer.
  const text = '"a".repeat(8000)'
  const sought = '("a".repeat(249) + "b" + "a".repeat(250))'
  const long = (end: string) => `("a".repeat(8000) + ${end})`
  it.each([
    ...['indexOf', 'includes', 'lastIndexOf', 'split'].map(
      (method) => `input.slice(0, 20).map(() => ${text}.${method}(${sought})).length`,
    ),
    ...['replace', 'replaceAll'].map(
      (method) => `input.slice(0, 20).map(() => ${text}.${method}(${sought}, "c")).length`,
    ),
    ...['includes', 'indexOf', 'lastIndexOf'].map(
      (method) =>
        `[input.slice(0, 30).map((a) => ${long('(a + 10)')})].map((list) => input.slice(0, 200).map(() => list.${method}(${long('"zz"')})).length)`,
    ),
    '"a".repeat(45000).replaceAll("a", "bc").length + "a".repeat(45000).replaceAll("", "b").length',
    'Object.entries("a".repeat(20000)).length',
    '[Object.fromEntries(input.map((a) => [a, undefined]))].map((o) => JSON.stringify(input.map(() => o)).length)',
  ])('a search is charged for what it may compare, and left to the sandbox: %s', (source) => {
    expect(compileExpression(source).pure).toBe(true)
    expect(evaluate(source, numbers)).toBeUndefined()
  })

  it.each<[string, unknown]>([
    ['input.filter((text) => text.includes("urgent")).length', 1_000],
    ['input.filter((text) => text.startsWith("a note that")).length', 1_000],
    ['input.slice(0, 800).filter((text) => text.toLowerCase().indexOf("ticket") > 0).length', 0],
    ['input.slice(0, 50).join(" ").replaceAll(" ", "-").length', 10_049],
    ['input.slice(0, 50).join("; ").split("; ").length', 50],
    ['input.slice(0, 50).join("").lastIndexOf("that is urgent")', 9_807],
    ['input.includes(input[0] + input[0])', false],
    [
      '"abc".replaceAll("", "-") + "".replaceAll("", "+") + "aXbX".replaceAll("X", "") + "aaa".replaceAll("aa", "b")',
      '-a-b-c-+abba',
    ],
  ])('ordinary searches in a thousand texts are answered here: %s', (source, answer) => {
    const note = 'a note that is urgent '.padEnd(200, 'and more of it ')
    expect(evaluate(source, { ...scope, input: Array.from({ length: 1_000 }, () => note) })).toEqual(answer)
  })

  it('does a fair amount of work itself', () => {
    expect(evaluate('input.filter((a) => a % 2 === 0).map((a) => a * a).reduce((a, b) => a + b, 0)', numbers)).toBe(
      166_167_000,
    )
  })

  it.each([
    'input.slice(0, 60).reduce((all) => [all, all], 1)',
    'input.slice(0, 60).reduce((all) => ({ all, also: all }), 1)',
    'input.slice(0, 60).reduce((all) => ({ all, also: all, none: undefined }), undefined)',
    'input.slice(0, 60).reduce((all) => [all, all], [])',
  ])('an answer that shares its parts is measured as it would be written: %s', (source) => {
    expect(() => evaluate(source, numbers)).toThrow(
      expect.objectContaining({ code: 'EXPRESSION_LIMIT', details: expect.objectContaining({ limit: 'output' }) }),
    )
  })

  it('refuses answers that are too large or too deep, like the sandbox', () => {
    const deep = JSON.parse(`${'['.repeat(65)}${']'.repeat(65)}`)
    expect(() => evaluate('input', { ...scope, input: deep })).toThrow(
      expect.objectContaining({ code: 'EXPRESSION_LIMIT', details: expect.objectContaining({ limit: 'depth' }) }),
    )
    expect(evaluate('input[0]', { ...scope, input: deep })).toEqual(deep[0])
    expect(evaluate('"x".repeat(262142)')).toHaveLength(262_142)
    expect(() => evaluate('"x".repeat(262143)')).toThrow(
      expect.objectContaining({ code: 'EXPRESSION_LIMIT', details: expect.objectContaining({ limit: 'output' }) }),
    )
  })
})
