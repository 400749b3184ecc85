import { describe, expect, it } from 'vitest'
import { differences, equalJson, MOST_CASES, readCases, type TestCase, withCase } from './test-case.ts'

const kept = (name: string, status = 'completed'): TestCase => ({
  name,
  input: { base: 1 },
  pins: {},
  expected: { status, output: { total: 3 } },
})

describe('test cases', () => {
  it('are replaced by one of the same name, and have a bound', () => {
    const two = [kept('a'), kept('b')]
    expect(withCase(two, kept('a', 'faulted'))?.map(({ expected }) => expected.status)).toEqual([
      'faulted',
      'completed',
    ])
    expect(withCase(two, kept('c'))?.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    const many = Array.from({ length: MOST_CASES }, (_, n) => kept(`${n}`))
    expect(withCase(many, kept('one more'))).toBeUndefined()
    expect(withCase(many, kept('7', 'faulted'))).toHaveLength(MOST_CASES)
  })

  it('pass when status and output are as expected, whatever the order of members', () => {
    const expected = { status: 'completed', output: { a: 1, b: [{ c: null }] } }
    expect(differences(expected, { status: 'completed', output: { b: [{ c: null }], a: 1 } })).toEqual([])
    expect(differences(expected, { status: 'faulted', output: null })).toEqual(['It was faulted, and not completed.'])
    expect(differences(expected, { status: 'completed', output: { a: 2 } })).toEqual([
      'Its output was {"a":2}, and not {"a":1,"b":[{"c":null}]}.',
    ])
  })

  it('tell values apart that are not the same', () => {
    for (const [a, b] of [
      [[], {}],
      [{ a: 1 }, { a: 1, b: 2 }],
      [null, 0],
      ['1', 1],
      [
        [1, 2],
        [2, 1],
      ],
    ] as const)
      expect([a, b, equalJson(a, b)]).toEqual([a, b, false])
    expect(equalJson(undefined, null)).toBe(true)
  })

  it('are read as far as they can be', () => {
    expect(readCases(JSON.stringify([kept('a'), { name: 7 }, null, 'x']))).toEqual([kept('a')])
    for (const text of [null, '', '{', '{}', '7']) expect(readCases(text)).toEqual([])
  })
})
