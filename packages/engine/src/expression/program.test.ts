// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are expressions

import { describe, expect, it } from 'vitest'
import { ExpressionInvalid } from './errors.ts'
import { type ProgramKind, parseProgram } from './program.ts'

function refusal(source: string, kind: ProgramKind = 'expression') {
  try {
    parseProgram(source, kind)
  } catch (error) {
    if (ExpressionInvalid.is(error)) return error.details
    throw error
  }
  return undefined
}

describe('a program', () => {
  it.each([
    ['1 +', 1, 4, 'it ends too early'],
    ['', 1, 1, 'it ends too early'],
    ['input.a +\n  * 2', 2, 3, 'Unexpected token'],
    ['"abc', 1, 1, 'Unterminated string constant'],
    ['010', 1, 1, 'Invalid number'],
    ['a <!-- b', 1, 3, '"<!--" and "-->" are not comments here'],
    ['1\n--> 2', 2, 1, '"<!--" and "-->" are not comments here'],
    ['"\ud83d"', 1, 2, 'it holds half of a surrogate pair: write it as an escape'],
    ['return 1', 1, 1, 'Unexpected token'],
    ['1; 2', 1, 2, 'Unexpected token'],
    ['x = 1, yield', 1, 8, "The keyword 'yield' is reserved"],
    ['await 1', 1, 7, 'Unexpected token'],
  ])('%j is refused with its place and the reason', (source, line, column, reason) => {
    expect(refusal(source)).toEqual({ expression: source, line, column, reason })
  })

  it.each([
    '1) + (2',
    '1), (2',
    '1) }) ; (function () { return (2',
    '1) }), (function () { return (2',
    '1) })(1)((function () { return (2',
    '1); if (true) { } return (2',
    '1) } function f() { return (2',
    '1 /*',
    '*/ 1',
    '`${1) + (2}`',
  ])('an expression cannot close our brackets and open its own: %j', (source) => {
    expect(refusal(source)).toBeDefined()
  })

  it.each([
    '})(); (() => {',
    '})() }); (function () { return (() => {',
    'return 1 })(), (() => { return 2',
    '})(1)(() => {',
    '}, () => {',
    '}) && (() => {',
    'return 1 } /*',
  ])('a script cannot either: %j', (source) => {
    expect(refusal(source, 'script')).toBeDefined()
  })

  it.each(['1 // the end', '/* a */ 1 /* b */', '(1)', ' 1\n', '(1, 2)', '({})', '`)`', '")"', '/[)]/'])(
    'comments and brackets of its own are no obstacle: %j',
    (source) => expect(refusal(source)).toBeUndefined(),
  )

  it('is refused when it is too long or nested too deeply', () => {
    expect(refusal(`"${'x'.repeat(70_000)}"`)?.reason).toMatch(/longer than/)
    expect(refusal(`${'('.repeat(30_000)}1${')'.repeat(30_000)}`)?.reason).toBe('it is nested too deeply')
    expect(refusal(`${'a=>'.repeat(20_000)}1`)?.reason).toBe('it is nested too deeply')
    expect(refusal(`${'!'.repeat(401)}1`)?.reason).toBe('it is nested too deeply')
    expect(refusal(`${'!'.repeat(399)}1`)).toBeUndefined()
  })

  it.each<[string, (levels: number) => string, number]>([
    ['operators', (levels) => `${'!'.repeat(levels)}1`, 1],
    ['brackets', (levels) => `${'('.repeat(levels)}1${')'.repeat(levels)}`, 1],
    ['lists', (levels) => `${'['.repeat(levels)}1${']'.repeat(levels)}`, 1],
    ['sums', (levels) => `1${'+1'.repeat(levels)}`, 1],
    ['chains', (levels) => `a${'.a'.repeat(levels)}`, 1],
    ['functions', (levels) => `${'() => '.repeat(levels)}1`, 1],
    ['templates', (levels) => `${'`${'.repeat(levels)}1${'}`'.repeat(levels)}`, 1],
    ['objects', (levels) => `${'({ a: '.repeat(levels)}1${'})'.repeat(levels)}`, 3],
    ['blocks', (levels) => `() => {${'{'.repeat(levels - 2)};${'}'.repeat(levels - 2)}}`, 1],
    ['functions of statements', (levels) => `${'() => { return '.repeat(levels)}1${'}'.repeat(levels)}`, 3],
    ['patterns', (levels) => `(${'['.repeat(levels - 1)}a${']'.repeat(levels - 1)}) => 1`, 1],
    ['declared patterns', (levels) => `() => { let ${'['.repeat(levels - 4)}a${']'.repeat(levels - 4)} = 1 }`, 1],
    ['classes', (levels) => `${'class { a = '.repeat(levels)}1${'}'.repeat(levels)}`, 3],
  ])('may have 400 levels and no more: %s', (_what, nested, each) => {
    const most = Math.floor(400 / each)
    expect(refusal(nested(most))).toBeUndefined()
    expect(refusal(nested(most + 1))?.reason).toBe('it is nested too deeply')
  })

  it('shows no more than 200 characters of the source in an error', () => {
    expect(refusal(`${'x'.repeat(5_000)} +`)?.expression).toHaveLength(200)
  })
})

describe('references of an expression', () => {
  it.each<[string, string[]]>([
    ['1 + 1', []],
    ['input.amount > vars.limit', ['input', 'vars']],
    ['steps.ask.output', ['steps.ask']],
    ['steps["check-stock"].output + steps?.ask?.output', ['steps.ask', 'steps.check-stock']],
    ['steps[input.which].output', ['input', 'steps']],
    ['Object.keys(steps).length + steps.a', ['steps', 'steps.a']],
    ['input.items.map((item) => item.id)', ['input']],
    ['input.items.map((item) => item.id + index)', ['index', 'input']],
    ['input.items.map(({ item, index: [index], ...error }) => item + index + error)', ['input']],
    ['input.items.map((x, y = item) => x + y)', ['input', 'item']],
    ['((x = item) => { var item = 1; return x })()', ['item']],
    ['({ input: 1, vars: { steps: 2 } })', []],
    ['({ input, [item]: error?.message })', ['error', 'input', 'item']],
    ['x.input.vars', []],
    ['x[input]', ['input']],
    ['(function f(input) { return input + correlationId })(1)', ['correlationId']],
    ['(function () { return arguments[0] })(vars)', ['vars']],
    ['`${input} ${`${item}`}`', ['input', 'item']],
    ['(input = 3)', ['input']],
    ['arguments[1]', ['correlationId', 'error', 'index', 'input', 'item', 'steps', 'vars']],
    ['(() => arguments)()', ['correlationId', 'error', 'index', 'input', 'item', 'steps', 'vars']],
    ['class item { input = vars; [error]() { return new.target } }', ['error', 'vars']],
  ])('%s', (source, references) => {
    expect(parseProgram(source, 'expression').references).toEqual(references)
  })

  it.each<[string, string[]]>([
    ['{ let input = 1 } return input', ['input']],
    ['{ var input = 1 } return input', []],
    ['const item = input.items[0]; return item', ['input']],
    ['for (const item of vars.list) { index(item) } return item', ['index', 'item', 'vars']],
    ['for (let index = 0; index < 3; index++) {} return 1', []],
    ['for (const index in input) {}', ['input']],
    ['try { f() } catch (error) { return error.message }', []],
    ['try { f() } catch { return error.message }', ['error']],
    ['input: for (;;) { break input }', []],
    ['function vars() { return vars } return vars', []],
    ['switch (1) { case 1: let input = 2; return input; default: return item }', ['item']],
    ['const { a = item, vars: { item: b } } = input; return a + b', ['input', 'item']],
    ['if (x) { function input() {} } return input', ['input']],
  ])('of a script: %s', (source, references) => {
    expect(parseProgram(source, 'script').references).toEqual(references)
  })
})
