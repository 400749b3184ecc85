import { type Options, parse } from 'acorn'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseBounded, TooDeep } from './bounded-parser.ts'

const OPTIONS: Options = { ecmaVersion: 2024, sourceType: 'script', preserveParens: true }

function verdict(read: (text: string, options: Options) => unknown, text: string): unknown {
  try {
    return JSON.stringify(read(text, OPTIONS))
  } catch (error) {
    if (error instanceof SyntaxError) return error.message
    throw error
  }
}

const name = fc.constantFrom('a', 'b', 'c', 'arguments', 'await')
const { statement } = fc.letrec<{ statement: string; block: string; value: string }>((tie) => {
  const cat = (...parts: (string | fc.Arbitrary<string>)[]) =>
    fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((all) => all.join(''))
  const block = tie('block')
  const value = tie('value')
  return {
    block: fc.array(tie('statement'), { maxLength: 4 }).map((all) => `{ ${all.join('; ')} }`),
    value: fc.oneof(
      { depthSize: 'small' },
      name,
      cat('(', name, ', ', name, ') => ', block),
      cat('function ', name, '(', name, ') ', block),
      cat('class { static ', block, '; x = ', value, ' }'),
      cat('[[', name, '] = ', value, ']'),
      cat('([[', name, ', [', value, '] = 1] = 1] = ', value, ')'),
      fc.constantFrom('this', 'new.target', '1'),
    ),
    statement: fc.oneof(
      { depthSize: 'small' },
      cat(fc.constantFrom('let ', 'var ', 'const '), name, ' = ', value),
      cat('var [', name, ', { ', name, ' }] = []'),
      cat('function ', name, '(', name, ') ', block),
      cat('class ', name, ' {}'),
      block,
      cat('try ', block, ' catch (', name, ') ', block),
      cat('try ', block, ' catch ({ ', name, ' }) ', block),
      cat('for (', fc.constantFrom('let ', 'var ', ''), name, ' of ', value, ') ', block),
      cat('switch (1) { case 1: ', tie('statement'), '; default: ', tie('statement'), ' }'),
      cat('void ', value),
    ),
  }
})
const program = fc.array(statement, { minLength: 1, maxLength: 6 }).map((all) => all.join('; '))

describe('the bounded parser', () => {
  it('reads and refuses what acorn does, with the same tree or the same words', () => {
    fc.assert(
      fc.property(program, fc.boolean(), (body, strict) => {
        const text = `(function (a) { ${strict ? '"use strict"; ' : ''}${body} })`
        expect(verdict(parseBounded, text)).toBe(verdict(parse, text))
        expect(verdict(parseBounded, body)).toBe(verdict(parse, body))
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    'let a; { var a }',
    '{ { var a } let a }',
    '{ var a } { let a }',
    'try {} catch (a) { var a; let b; var b }',
    'try {} catch (a) { for (var a of []); }',
    'try {} catch ([a]) { var a }',
    'var a; () => { let a; { var b } let b }',
    '{ function a() {} var a }',
    'function a() {} var a; let a',
    'class A { static { var a; { let a } let a } }',
    'class A { x = arguments }',
    'class A { x = () => arguments }',
    'class A { x = function () { return arguments } }',
    '[[a] = 1, [1] = 1] = 1',
  ])('decides as acorn does: %s', (text) => {
    expect(verdict(parseBounded, text)).toBe(verdict(parse, text))
  })

  it('gives up where the text is too deep, and reads no further', () => {
    const beyond = `${'{'.repeat(1_000)} here it cannot be read`
    expect(() => parseBounded(beyond, OPTIONS)).toThrow(TooDeep)
  })
})

/** Entries of lists that were looked at or added, and names that were tested, while `text` was read. */
function stepsOf(text: string): number {
  let steps = 0
  const { indexOf, push } = Array.prototype
  const { test } = RegExp.prototype
  Array.prototype.indexOf = function (this: unknown[], ...args) {
    steps += this.length
    return indexOf.apply(this, args)
  }
  Array.prototype.push = function (this: unknown[], ...args) {
    steps += args.length
    return push.apply(this, args)
  }
  RegExp.prototype.test = function (this: RegExp, ...args) {
    steps++
    return test.apply(this, args)
  }
  try {
    parseBounded(text, OPTIONS)
  } finally {
    Object.assign(Array.prototype, { indexOf, push })
    Object.assign(RegExp.prototype, { test })
  }
  return steps
}

const list = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`).join(', ')

describe('steps of reading', () => {
  it('grow as the names that a program declares', () => {
    const names = (count: number) => stepsOf(`() => { let ${list(count)} }`)
    expect(names(4_000)).toBeLessThan(names(1_000) * 5)
  })

  it('do not multiply with the blocks around a var', () => {
    const nested = (depth: number) => stepsOf(`() => ${'{'.repeat(depth)} var ${list(1_000)} ${'}'.repeat(depth)}`)
    expect(nested(300)).toBeLessThan(nested(3) * 2)
  })

  it('do not multiply with the patterns around a pattern', () => {
    const nested = (depth: number) =>
      stepsOf(`'use strict'; ${'['.repeat(depth)} ${list(1_000)} ${'] = 1'.repeat(depth)}`)
    expect(nested(150)).toBeLessThan(nested(3) * 2)
  })
})
