import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileSchema, schemaFault } from '../json-schema.ts'
import { boundedPattern } from './bounded-pattern.ts'
import { parsePattern } from './parse-pattern.ts'
import { patternMachine } from './pattern-machine.ts'

/** Written out of parts that the host reads too; small alphabets meet often. */
const pattern: fc.Arbitrary<string> = fc.letrec<{ all: string }>((tie) => ({
  all: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      'a',
      'b',
      '1',
      '.',
      '\\d',
      '\\w',
      '[ab]',
      '[^a]',
      '[\\]1-3]',
      '\\u0061',
      '\\u{1F600}',
      '😀',
      '\\p{L}',
      '^',
      '$',
      '\\b',
      '\\B',
      '',
    ),
    fc.tuple(tie('all'), tie('all')).map(([a, b]) => a + b),
    fc.tuple(tie('all'), tie('all')).map(([a, b]) => `(?:${a}|${b})`),
    fc
      .tuple(tie('all'), fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}', '{1,3}', '*?', '+?', '{0,2}?'))
      .map(([a, count]) => `(${a})${count}`),
  ),
})).all
const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', '2', ' ', '\n', ']', 'é', '😀'), maxLength: 8 })

const free = (): void => {}

describe('a pattern that is run as places', () => {
  it('finds what the host finds', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 8 }), (source, texts) => {
        const [run, kept] = [patternMachine(parsePattern(source)), patternMachine(parsePattern(source), 0)]
        const host = new RegExp(source, 'u')
        for (const each of texts)
          expect([source, each, run(each, free), kept(each, free)]).toEqual([
            source,
            each,
            host.test(each),
            host.test(each),
          ])
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a pattern of an author', () => {
  const long = 'a'.repeat(100_000)

  it.each([
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '(a*)*b',
    '^a*a*a*a*b$',
    'a+$',
    '^(?:a?){50}a{50}$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
  ])('%s is decided, however long the text', (source) => {
    const fits = compileSchema({ type: 'string', pattern: source })
    expect(fits(`${long}!`)).toBe(false)
  })

  it('is asked of the host where that cannot go back far', () => {
    for (const source of ['^[A-Z]{2}\\d{6}$', '^[a-z]+$', '^(?:eu|us)-\\d{1,3}$', 'abc'])
      expect(boundedPattern(source).size).toBe(0)
    expect(boundedPattern('^(a+)+$').size).toBeGreaterThan(0)
  })

  it.each([
    ['^([a-z]+ ?)+$', 'some words '.repeat(90_000)],
    ['^(?:[^,!]*,)*[^,!]*$', 'a,bc,def,'.repeat(100_000)],
    ['^(\\S+@\\S+\\.\\S+\\s*)+$', 'ann@example.org '.repeat(60_000)],
    ['^[\\p{L}\\s]*$', 'Straße und Weg '.repeat(60_000)],
    ['[a-z]{2,4}\\d$', `${'abc '.repeat(200_000)}ab1`],
  ])('%s finds what fits in a text of 900 KB', (source, text) => {
    expect(text.length).toBeGreaterThan(800_000)
    expect(compileSchema({ type: 'string', pattern: source })(text)).toBe(true)
    expect(compileSchema({ type: 'string', pattern: source })(`${text}!`)).toBe(false)
  })

  it.each([
    ['that looks at much for each sign', '(a|b)*a(a|b){900}c'],
    ['that the host would begin anew at every place', '(?:a?a?a?a?a?a?a?a?a?c){1,1}'],
    ['that is long, from every place', 'a{4000}b'],
  ])('%s ends, with words that say so or with an answer', (_, source) => {
    const fits = compileSchema({ type: 'string', pattern: source })
    expect(fits('ab'.repeat(3) + 'a'.repeat(900_000))).toBe(false)
    expect(fits.errors?.[0]?.keyword).toMatch(/^(steps|pattern)$/)
  })

  it('shares its steps with all others of one value', () => {
    const allOf = Array.from({ length: 200 }, (_, n) => ({ pattern: `^(?:[ab]{0,30}){0,${50 + (n % 5)}}c${n}$` }))
    const fits = compileSchema({ items: { anyOf: allOf.slice(0, 5) } })
    expect(fits(Array(2_000).fill('ab'.repeat(500)))).toBe(false)
    expect(fits.errors?.[0]).toMatchObject({ keyword: expect.stringMatching(/steps|anyOf/) })
    expect(schemaFault({ allOf })).toMatch(/count too far together/)
  })

  it('decides names of members too', () => {
    const fits = compileSchema({ type: 'object', patternProperties: { '^(x+)+$': { type: 'number' } } })
    expect([fits({ xx: 1 }), fits({ xx: 'a' }), fits({ [`${'x'.repeat(10_000)}!`]: 'a' })]).toEqual([true, false, true])
  })

  it.each([
    ['(', /Invalid regular expression/],
    ['^(?=a)a', /looks around or refers back/],
    ['(?<!a)b', /looks around or refers back/],
    ['(a)\\1', /looks around or refers back/],
    ['(?<x>a)\\k<x>', /looks around or refers back/],
    ['(?:[a-z]{900}){900}', /counts too far/],
  ])('%s is refused where it is written', (source, why) => {
    expect(schemaFault({ type: 'string', pattern: source })).toMatch(why)
  })
})
