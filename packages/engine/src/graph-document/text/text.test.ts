import type { Json } from '@lockstep/base'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomDocuments } from '../../graph/fixtures/random-document.fixture.ts'
import { readDocuments } from './read-documents.ts'
import type { DocumentFormat } from './text-entry.ts'
import { writeJson, writeYaml } from './write-documents.ts'
import { yamlThread } from './yaml-thread.ts'

const yaml = yamlThread()
const read = (text: string, format: DocumentFormat = 'yaml') => readDocuments(text, format, yaml)
const documents = async (text: string, format: DocumentFormat = 'yaml') =>
  (await read(text, format)).map((entry) => ('document' in entry ? entry.document : entry.problem.code))

/** Any JSON without the one name that may not come in. */
const values = fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('"__proto__"'))
const graphs = fc
  .tuple(randomDocuments(), fc.dictionary(fc.string(), values), values, fc.string({ unit: 'binary' }))
  .map(([graph, inputs, note, text]) => {
    const [first, ...rest] = graph.activities
    delete inputs['__proto__' as keyof typeof inputs]
    return {
      ...graph,
      'x-note': note,
      description: text.replaceAll(/\p{Surrogate}/gu, ''),
      activities: [{ ...first, inputs: { ...first!.inputs, ...inputs } }, ...rest],
    } as unknown as Json
  })
const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value))

describe('writing and reading again', () => {
  it('knows one zero only', () => {
    const document = { id: 'zero', activities: [{ id: 'a', type: 'log', inputs: { message: -0 } }], connections: [] }
    expect(writeYaml(document)).toContain('message: 0')
  })

  it.each([
    ['json', writeJson],
    ['yaml', writeYaml],
  ] as const)('is the same document: %s', async (format, write) => {
    await fc.assert(
      fc.asyncProperty(graphs, async (document) => {
        const text = write(document)
        expect(await documents(text, format)).toEqual([plain(document)])
        expect(write(((await documents(text, format)) as Json[])[0]!)).toBe(text)
      }),
      { numRuns: 60 },
    )
  })

  it('does not depend on the order in which members were written', () => {
    const backwards = (value: Json): Json =>
      Array.isArray(value)
        ? value.map(backwards)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([key, member]) => [key, backwards(member as Json)]),
            )
          : value
    fc.assert(
      fc.property(graphs, (document) => {
        expect(writeJson(backwards(document))).toBe(writeJson(document))
      }),
    )
  })

  it('puts what people look for first', () => {
    const text = writeYaml({
      connections: [{ to: 'b', from: 'a' }],
      activities: [{ inputs: { z: 1, a: 'yes' }, retry: { jitter: 0, attempts: 2 }, type: 'log', id: 'a' }],
      'x-b': 1,
      name: 'Order',
      id: 'order',
    })
    expect(text).toBe(
      [
        'id: order',
        'name: Order',
        'activities:',
        '  - id: a',
        '    type: log',
        '    inputs:',
        '      a: yes',
        '      z: 1',
        '    retry:',
        '      attempts: 2',
        '      jitter: 0',
        'connections:',
        '  - from: a',
        '    to: b',
        'x-b: 1',
        '',
      ].join('\n'),
    )
  })
})

describe('texts of several documents', () => {
  it('are lists in JSON and streams or lists in YAML', async () => {
    expect(await documents('[{"id":"a"},{"id":"b"}]', 'json')).toEqual([{ id: 'a' }, { id: 'b' }])
    expect(await documents('id: a\n---\nid: b\n')).toEqual([{ id: 'a' }, { id: 'b' }])
    expect(await documents('- id: a\n- id: b\n')).toEqual([{ id: 'a' }, { id: 'b' }])
    expect(await documents('[]', 'json')).toEqual([])
  })

  it('are read even when one of them is broken', async () => {
    expect(await documents('id: a\n---\nid: [b\n---\nid: c\n')).toEqual([{ id: 'a' }, 'UNREADABLE_TEXT', { id: 'c' }])
  })
})

describe('aliases', () => {
  it('repeat what stands before them', async () => {
    expect(await documents('a: &x { n: 1 }\nb: *x\nc: &x 2\nd: *x')).toEqual([{ a: { n: 1 }, b: { n: 1 }, c: 2, d: 2 }])
  })

  it('mean the same wherever they are repeated', async () => {
    expect(await documents('a: &x 1\nb: &y [*x]\nc: &x 2\nd: *y')).toEqual([{ a: 1, b: [1], c: 2, d: [1] }])
  })
})

const bomb = [
  'a0: &a0 [x,x,x,x,x,x,x,x,x,x]',
  ...Array.from(
    { length: 9 },
    (_, n) => `a${n + 1}: &a${n + 1} [${Array.from({ length: 10 }, () => `*a${n}`).join(',')}]`,
  ),
].join('\n')

describe('hostile texts', () => {
  it.each<readonly [name: string, text: string, code: string, format?: DocumentFormat]>([
    ['a bomb of aliases', bomb, 'TOO_LARGE'],
    ['many aliases', `a: &a 1\nb: [${'*a,'.repeat(200)}]`, 'TOO_LARGE'],
    ['an alias inside of itself', 'a: &a [*a]', 'TOO_DEEP'],
    ['an alias of nothing', 'a: *b', 'UNREADABLE_TEXT'],
    ['depth in JSON', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, 'TOO_DEEP', 'json'],
    ['depth in an object', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, 'TOO_DEEP', 'json'],
    ['depth in YAML', `a: ${'['.repeat(600)}${']'.repeat(600)}`, 'TOO_DEEP'],
    ['depth that ends the stack of the parser', `a: ${'['.repeat(20_000)}`, 'UNREADABLE_TEXT'],
    ['a prototype in JSON', '{"id":"a","activities":[{"__proto__":{"x":1}}]}', 'FORBIDDEN_NAME', 'json'],
    ['a prototype in YAML', 'id: a\n__proto__:\n  polluted: true', 'FORBIDDEN_NAME'],
    ['a prototype by an alias', 'a: &p __proto__\n*p : {polluted: true}', 'UNREADABLE_TEXT'],
    ['a tag that makes code', 'a: !!js/function "function(){}"', 'UNREADABLE_TEXT'],
    ['a tag that makes bytes', 'a: !!binary aGVsbG8=', 'UNREADABLE_TEXT'],
    ['a tag that makes a set', 'a: !!set { x }', 'UNREADABLE_TEXT'],
    ['a number that is none', 'a: .nan', 'UNREADABLE_TEXT'],
    ['a number without an end', 'a: -.inf', 'UNREADABLE_TEXT'],
    ['a member that is there twice', 'a: 1\na: 2', 'UNREADABLE_TEXT'],
    ['a name that is a list', '? [a]\n: 1', 'UNREADABLE_TEXT'],
    ['a name that is nothing', '? \n: 1', 'UNREADABLE_TEXT'],
    ['too many documents in YAML', '---\n'.repeat(1_100), 'TOO_MANY_DOCUMENTS'],
    ['too many documents in JSON', `[${'{},'.repeat(1_100)}{}]`, 'TOO_MANY_DOCUMENTS', 'json'],
    ['a document that is too large', JSON.stringify({ a: 'x'.repeat(11 * 1_048_576) }), 'TOO_LARGE', 'json'],
    ['a text that is too large', ' '.repeat(33 * 1_048_576), 'TOO_LARGE', 'json'],
    ['YAML that is too large', 'x'.repeat(11 * 1_048_576), 'TOO_LARGE'],
    ['nothing', '', 'UNREADABLE_TEXT', 'json'],
    ['half a document', '{"id":', 'UNREADABLE_TEXT', 'json'],
  ])('%s', async (_, text, code, format = 'yaml') => {
    expect(await documents(text!, format as DocumentFormat)).toEqual([code])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('a merge key is a name like any other, and YAML 1.1 changes nothing', async () => {
    expect(await documents('a: &a { x: 1 }\nb: { <<: *a }')).toEqual([{ a: { x: 1 }, b: { '<<': { x: 1 } } }])
    expect(await documents('%YAML 1.1\n---\na: yes\nb: 0o7\nc: 2001-01-01')).toEqual([
      { a: 'yes', b: 7, c: '2001-01-01' },
    ])
  })

  it('a pointer says where', async () => {
    expect(await read('{"a":{"b/c":[0,{"__proto__":1}]}}', 'json')).toMatchObject([
      { problem: { pointer: '/a/b~1c/1' } },
    ])
  })
})

describe('large texts', () => {
  it('of YAML are read and written in a thread, while the loop goes on', async () => {
    const document = {
      id: 'big',
      activities: Array.from({ length: 1_500 }, (_, n) => ({
        id: `a${n}`,
        type: 'log',
        inputs: { message: 'x'.repeat(60) },
      })),
    }
    const text = (await yaml.run({ write: document })) ?? ''
    expect(text.length).toBeGreaterThan(128 * 1_024)
    let turns = 0
    const turning = setInterval(() => turns++, 1)
    const [entry, broken] = await Promise.all([read(text), read(`${text}\nid: [`)])
    clearInterval(turning)
    expect(entry).toEqual([{ document }])
    expect(broken).toMatchObject([{ problem: { code: 'UNREADABLE_TEXT' } }])
    expect(turns).toBeGreaterThan(10)
  }, 30_000)

  it('of wide maps do not take the square of their width', async () => {
    const wide = Array.from({ length: 20_000 }, (_, n) => `k${n}: 1`).join('\n')
    const [entry] = await read(wide)
    expect(Object.keys((entry as { document: object }).document)).toHaveLength(20_000)
  }, 30_000)
})
