import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SecretSearch } from './secret-search.ts'

const digits = (n: number): string => `${n * 7_919 + 1_000_003}`
const secrets = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `sk_live_51Habcdef${digits(n)}${'x'.repeat(n % 40)}`)
const escaped = (text: string): string =>
  [...text].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')

describe('a search for many that begin alike', () => {
  it.each([
    ['their first four characters', 'sk_l'],
    ['their first eight', 'sk_live_'],
    ['all that they have in common', 'sk_live_51Habcdef'],
    ['the first of their escapes', '\\u00'],
    ['escapes of what they have in common', escaped('sk_live_51Habcdef')],
  ])('takes as many steps as for few, where a text repeats %s', (_, beginning) => {
    const text = beginning.repeat(20_000 / beginning.length)
    const stepsFor = (count: number): number => {
      const search = new SecretSearch([...secrets(count), ...secrets(count).map(escaped)])
      search.replace(text, '*')
      return search.steps
    }
    expect(stepsFor(256)).toBeLessThan(8 * text.length)
    expect(stepsFor(256)).toBeLessThanOrEqual(2 * stepsFor(64))
  })

  it('leaves alone what only has their beginning in common with them, as often as people write it', () => {
    const alike = `sk_live_51Habcdef${'0'.repeat(100)}`
    const search = new SecretSearch(secrets(256).flatMap((each) => [alike + each, escaped(alike + each)]))
    const text = `${alike} and ${escaped(alike)}, `.repeat(10)
    expect(search.replace(text, '*')).toBe(text)
  })

  it('takes none where a text has none of their beginnings', () => {
    const search = new SecretSearch(secrets(256))
    search.replace('{"name":"order 7","note":"paid by card"}'.repeat(500), '*')
    expect(search.steps).toBe(0)
  })

  it('finds each of them, and the longest where one begins with another', () => {
    const all = secrets(256)
    const search = new SecretSearch(all)
    for (const each of all) expect(search.replace(`a ${each} b`, '*')).toBe('a * b')
    const prefixes = new SecretSearch(Array.from({ length: 100 }, (_, n) => 'ab'.repeat(50).slice(0, n + 4)))
    expect(prefixes.replace(`${'ab'.repeat(50)}-abab-aba`, '*')).toBe('*-*-aba')
  })

  it('finds the same as one that looks for each by itself', () => {
    const sign = fc.constantFrom('a', 'b')
    const word = fc.array(sign, { minLength: 4, maxLength: 20 }).map((signs) => signs.join(''))
    const text = fc.array(sign, { maxLength: 200 }).map((signs) => signs.join(''))
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 40 }), text, (words, given) => {
        expect(new SecretSearch(words).replace(given, '*')).toBe(byEach(words, given))
      }),
    )
  })
})

function byEach(words: readonly string[], text: string): string {
  const longestFirst = [...words].sort((a, b) => b.length - a.length)
  let shown = ''
  for (let at = 0; at < text.length; ) {
    const word = longestFirst.find((each) => text.startsWith(each, at))
    shown += word === undefined ? text[at] : '*'
    at += word?.length ?? 1
  }
  return shown
}
