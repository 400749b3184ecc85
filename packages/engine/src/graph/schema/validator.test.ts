import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { costOf } from '../fixtures/cost.fixture.ts'
import { compileSchema, essentialErrors, schemaFault } from '../json-schema.ts'

const tree = {
  type: 'object',
  properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
}

/** A chain of `depth` objects. */
const nested = (depth: number, end: unknown = {}): unknown =>
  Array.from({ length: depth }).reduce((inner) => ({ a: inner }), end)

/** Every schema below would take a node for seconds to years. */
const HOSTILE: readonly (readonly [string, object, unknown])[] = [
  [
    'a $ref back to itself in two branches of allOf',
    { allOf: [{ properties: { a: { $ref: '#' } } }, { properties: { a: { $ref: '#' } } }] },
    nested(60),
  ],
  [
    'a $ref back to itself in branches of anyOf that fail late',
    {
      $defs: { n: { properties: { a: { anyOf: [{ $ref: '#/$defs/n' }, { $ref: '#/$defs/n' }] } }, required: ['a'] } },
      $ref: '#/$defs/n',
    },
    nested(60),
  ],
  [
    'a $ref back to itself in two branches of oneOf',
    {
      oneOf: [
        { properties: { a: { $ref: '#' } } },
        { properties: { a: { $ref: '#' } }, patternProperties: { '^a': false } },
      ],
    },
    nested(60),
  ],
  [
    'a $ref back to itself under if and then',
    { if: { properties: { a: { $ref: '#' } } }, then: { properties: { a: { $ref: '#' } } } },
    nested(60),
  ],
  [
    'a $dynamicRef in two branches',
    {
      $dynamicAnchor: 'n',
      allOf: [{ properties: { a: { $dynamicRef: '#n' } } }, { properties: { a: { $dynamicRef: '#n' } } }],
    },
    nested(60),
  ],
  ['a $dynamicRef that goes nowhere', { $dynamicAnchor: 'n', allOf: [{ $dynamicRef: '#n' }] }, {}],
  [
    'unevaluatedProperties over a doubled reference',
    {
      allOf: [{ properties: { a: { $ref: '#' } } }, { properties: { a: { $ref: '#' } } }],
      unevaluatedProperties: { $ref: '#' },
    },
    nested(60),
  ],
  [
    'definitions that double without any value',
    {
      $ref: '#/$defs/d0',
      $defs: Object.fromEntries(
        Array.from({ length: 60 }, (_, n) => [
          `d${n}`,
          n === 59 ? {} : { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
        ]),
      ),
    },
    1,
  ],
  [
    'thousands of branches for thousands of items',
    { items: { allOf: Array(5_000).fill({ type: 'number' }) } },
    Array(50_000).fill(1),
  ],
  [
    'thousands of lengths of one long text',
    { allOf: Array.from({ length: 5_000 }, (_, n) => ({ maxLength: 600_000 + n })) },
    'x'.repeat(900_000),
  ],
  [
    'lists held against themselves again and again',
    { allOf: Array(5_000).fill({ uniqueItems: true }) },
    Array.from({ length: 50_000 }, (_, n) => [n]),
  ],
  [
    'names required of each of many',
    { items: { required: Array.from({ length: 10_000 }, (_, n) => `p${n}`) } },
    Array(50_000).fill({}),
  ],
]

describe('a schema of an author', () => {
  it.each(HOSTILE)('with %s costs bounded time', (_, schema, value) => {
    const fits = compileSchema(schema)
    expect(costOf(() => expect(fits(value)).toBe(false))).toBeLessThan(100)
    expect(fits.errors?.length).toBeLessThanOrEqual(100)
    expect(essentialErrors(fits)[0]?.message).toMatch(
      /takes too long to check: send less, or make its schema simpler|required/,
    )
  })

  it('names the place where it took too long', () => {
    const twice = { properties: { a: { $ref: '#/$defs/n' } } }
    const fits = compileSchema({
      properties: { order: { $ref: '#/$defs/n' } },
      $defs: { n: { allOf: [twice, twice] } },
    })
    expect(fits({ order: nested(60) })).toBe(false)
    expect(fits.errors).toMatchObject([{ keyword: 'steps', instancePath: expect.stringMatching(/^\/order(\/a)+$/) }])
  })

  it.each([
    ['to itself', { $ref: '#' }],
    ['to itself in a branch', { anyOf: [{ type: 'string' }, { $ref: '#' }] }],
    [
      'in a circle',
      { $ref: '#/$defs/a', $defs: { a: { not: { $ref: '#/$defs/b' } }, b: { if: { $ref: '#/$defs/a' } } } },
    ],
  ])('is refused when it refers %s at the same place', (_, schema) => {
    expect(schemaFault(schema)).toMatch(/leads back to itself at the same place: put it under properties or items/)
  })

  it('may be a tree, and is fast on a large one', () => {
    const grown = (depth: number): unknown => ({
      name: 'n',
      children: depth === 0 ? [] : Array.from({ length: 4 }, () => grown(depth - 1)),
    })
    const fits = compileSchema(tree)
    expect(fits(grown(8))).toBe(true)
    expect(fits({ children: [{ children: [{ name: 7 }] }] })).toBe(false)
    expect(fits.errors).toMatchObject([{ instancePath: '/children/0/children/0/name', message: 'must be string' }])
  })

  it('may have kinds of nodes, each with its own children', () => {
    const kind = (name: string): object => ({
      properties: { kind: { const: name }, of: { items: { $ref: '#' } } },
      required: ['kind'],
    })
    const fits = compileSchema({ oneOf: ['and', 'or', 'not', 'is'].map(kind) })
    const formula = (depth: number): unknown => ({
      kind: depth % 2 ? 'and' : 'or',
      of: depth === 0 ? [] : [formula(depth - 1), formula(depth - 1)],
    })
    expect(fits(formula(10))).toBe(true)
    expect(fits({ kind: 'and', of: [{ kind: 'xor' }] })).toBe(false)
  })

  it('that fails at every item of a long list is quick to say so, and says it a hundred times at most', () => {
    const item = { anyOf: [{ type: 'string' }, { type: 'object', properties: { k: { $ref: '#/$defs/item' } } }] }
    const fits = compileSchema({ items: { $ref: '#/$defs/item' }, $defs: { item } })
    expect(fits(Array(50_000).fill(1))).toBe(false)
    expect(fits.errors!.length).toBeLessThan(120)
  })

  it('with ten thousand members is read at once', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, n) => [`p${n}`, { type: 'string', minLength: 1 }]),
    )
    const read = (): void => expect(compileSchema({ type: 'object', properties })({ p7: '' })).toBe(false)
    expect(costOf(read)).toBeLessThan(30)
  })

  it.each(['not', 'if', 'then', 'else', 'anyOf', 'oneOf', 'contains'])('holds for a member called %s', (name) => {
    const fits = compileSchema({ properties: { [name]: { type: 'string' } } })
    expect(fits({ [name]: 7 })).toBe(false)
    expect(essentialErrors(fits)).toMatchObject([{ instancePath: `/${name}`, keyword: 'type' }])
  })

  it('under not asks what was not looked at as well', () => {
    const closed = { properties: { a: true }, unevaluatedProperties: false }
    const fits = compileSchema({ not: closed })
    expect([fits({ a: 1 }), fits({ a: 1, b: 2 })]).toEqual([false, true])
    const ofLists = compileSchema({ not: { prefixItems: [true], unevaluatedItems: false } })
    expect([ofLists([1]), ofLists([1, 2])]).toEqual([false, true])
  })

  it('asks for members of the value’s own', () => {
    expect(compileSchema({ required: ['constructor'] })({})).toBe(false)
    expect(compileSchema({ properties: { toString: { type: 'string' } } })({})).toBe(true)
  })

  it.each([
    [{ type: 'objet' }, '"/type" must be array, boolean'],
    [{ properties: { a: { minLength: -1 } } }, '"/properties/a/minLength" must be a whole number from 0'],
    [{ $ref: '#/$defs/none' }, '"#/$defs/none" refers to nothing in the schema'],
    [{ $ref: 'https://example.org/other' }, 'refers to nothing in the schema'],
    [{ $defs: { unused: { required: true } } }, '"/$defs/unused/required" must be a list of names'],
    [
      { $schema: 'http://json-schema.org/draft-07/schema#' },
      '"/$schema" must be https://json-schema.org/draft/2020-12/schema',
    ],
    [{ anyOf: [] }, '"/anyOf" must be a list of at least one schema'],
    [{ $defs: { a: { $id: 'x' }, b: { $id: 'x' } } }, '"x" is the $id of two schemas'],
    [{ pattern: '(' }, 'Invalid regular expression'],
  ])('%j is refused with the place and what belongs there', (schema, words) => {
    expect(schemaFault(schema)).toContain(words)
  })

  it('may name its parts', () => {
    const fits = compileSchema({
      $id: 'https://example.org/order',
      properties: { a: { $ref: '#line' }, b: { $ref: 'https://example.org/part' }, c: { $ref: 'part#/$defs/deep' } },
      $defs: {
        line: { $anchor: 'line', type: 'string' },
        part: { $id: 'part', type: 'number', $defs: { deep: { const: 1 } } },
      },
    })
    expect([fits({ a: 'x', b: 1, c: 1 }), fits({ a: 1 }), fits({ b: 'x' }), fits({ c: 2 })]).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  it('may be extended by $dynamicRef', () => {
    const fits = compileSchema({
      $id: 'https://example.org/strict',
      $dynamicAnchor: 'node',
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: {
        tree: {
          $id: 'tree',
          $dynamicAnchor: 'node',
          properties: { data: true, children: { items: { $dynamicRef: '#node' } } },
        },
      },
    })
    expect([fits({ children: [{ data: 1 }] }), fits({ children: [{ daat: 1 }] })]).toEqual([true, false])
  })
})

/** Small schemas out of few names and values, so that they meet. */
const value: fc.Arbitrary<unknown> = fc.letrec<{ all: unknown }>((tie) => ({
  all: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, 1, 2, 2.5, -1, '', 'a', 'ab', 'abc', '😀'),
    fc.array(tie('all'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'ab'), tie('all'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).all

const schema: fc.Arbitrary<unknown> = fc.letrec<{ all: unknown }>((tie) => {
  const map = fc.dictionary(fc.constantFrom('a', 'b', 'ab'), tie('all'), { maxKeys: 2, noNullPrototype: true })
  const list = fc.array(tie('all'), { minLength: 1, maxLength: 3 })
  const count = fc.nat({ max: 3 })
  const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']
  const part = (keyword: string, of: fc.Arbitrary<unknown>): fc.Arbitrary<object> =>
    of.map((each) => ({ [keyword]: each }))
  const leaf = fc.oneof(
    part(
      'type',
      fc.oneof(fc.constantFrom(...types), fc.uniqueArray(fc.constantFrom(...types), { minLength: 1, maxLength: 3 })),
    ),
    part(
      'enum',
      fc.uniqueArray(value, {
        minLength: 1,
        maxLength: 3,
        comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
      }),
    ),
    part('const', value),
    ...['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum'].map((each) =>
      part(each, fc.constantFrom(0, 1, 2)),
    ),
    part('multipleOf', fc.constantFrom(1, 2, 0.5)),
    ...['maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties'].map((each) =>
      part(each, count),
    ),
    part('pattern', fc.constantFrom('^a', 'b$', '^(a|b)*$')),
    part('uniqueItems', fc.boolean()),
    part('required', fc.uniqueArray(fc.constantFrom('a', 'b', 'ab'), { maxLength: 2 })),
    part(
      'dependentRequired',
      fc.dictionary(fc.constantFrom('a', 'b'), fc.uniqueArray(fc.constantFrom('a', 'ab'), { maxLength: 2 })),
    ),
    fc.constant({ $ref: '#/$defs/shared' }),
  )
  const inner = fc.oneof(
    ...['items', 'additionalProperties', 'propertyNames', 'not'].map((each) => part(each, tie('all'))),
    ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((each) => part(each, list)),
    part('properties', map),
    part('dependentSchemas', map),
    part(
      'patternProperties',
      fc.dictionary(fc.constantFrom('^a', 'b$'), tie('all'), { maxKeys: 2, noNullPrototype: true }),
    ),
    fc.record({ if: tie('all'), then: tie('all'), else: tie('all') }),
    fc.record({ contains: tie('all'), minContains: count }),
    part('unevaluatedProperties', tie('all')),
  )
  return {
    all: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.boolean(),
      leaf,
      fc.array(fc.oneof(leaf, inner), { minLength: 1, maxLength: 4 }).map((parts) => Object.assign({}, ...parts)),
    ),
  }
}).all

describe('the check of a schema', () => {
  it('says what the usual validator says', () => {
    const ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false })
    fc.assert(
      fc.property(schema, schema, fc.array(value, { minLength: 1, maxLength: 10 }), (root, shared, values) => {
        const whole = {
          $ref: '#/$defs/root',
          $defs: { root, shared: JSON.parse(JSON.stringify(shared).replaceAll('"$ref"', '"x"')) },
        }
        const [ours, usual] = [compileSchema(whole), ajv.compile(whole)]
        for (const each of values) expect([whole, each, ours(each)]).toEqual([whole, each, usual(each)])
        ajv.removeSchema(whole)
      }),
      { numRuns: 1_000 },
    )
  })
})
