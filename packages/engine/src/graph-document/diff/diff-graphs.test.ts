import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtInCatalogue } from '../../activity/built-in.ts'
import type { ActivityDocument, GraphDocument } from '../../graph/document.ts'
import { costOf } from '../../graph/fixtures/cost.fixture.ts'
import { randomDocuments } from '../../graph/fixtures/random-document.fixture.ts'
import { applyDiff, comparable, meaningOf } from './diff.fixture.ts'
import { diffGraphs } from './diff-graphs.ts'

const log = (id: string, message = 'hello', more: Partial<ActivityDocument> = {}): ActivityDocument => ({
  id,
  type: 'log',
  inputs: { message },
  ...more,
})
const base: GraphDocument = {
  id: 'order',
  name: 'Order',
  variables: { n: { type: 'number', default: 0 } },
  input: { type: 'object', properties: { amount: { type: 'number' } } },
  activities: [
    log('a'),
    { id: 'ask', type: 'wait-for-event', inputs: { event: 'approved', timeout: '7d' }, retry: { attempts: 2 } },
    {
      id: 'loop',
      type: 'for-each',
      inputs: { items: [1, 2] },
      body: { activities: [log('x'), log('y')], connections: [{ from: 'x', to: 'y' }] },
    },
    log('end'),
  ],
  connections: [
    { from: 'a', to: 'ask' },
    { from: 'ask', to: 'loop' },
    { from: 'loop', to: 'end' },
  ],
}
// biome-ignore lint/suspicious/noExplicitAny: edits go anywhere in the document
const edited = (edit: (document: any) => void): GraphDocument => {
  const copy = structuredClone(base)
  edit(copy)
  return copy
}
const summary = (after: GraphDocument, before = base) =>
  diffGraphs(before, after).changes.map((change) => {
    const who =
      'id' in change
        ? change.id
        : 'name' in change
          ? change.name
          : 'from' in change
            ? `${change.from}-${change.outcome}-${change.to}`
            : ''
    const fields = 'fields' in change ? change.fields.map(({ pointer }) => pointer) : []
    return [change.subject, change.change, who, ...fields, change.migration].filter((part) => part !== '').join(' ')
  })

describe('the difference of two graphs', () => {
  it('is none for layout, notes, order, and defaults that were written out', () => {
    const after = edited((d) => {
      d.layout = { a: [1, 2] }
      d['x-colour'] = 'red'
      d.$schema = 'https://example.org/graph.json'
      d.activities.reverse()
      d.connections.reverse()
      d.connections[0] = { ...d.connections[0], outcome: 'done', layout: { bend: 3 } }
      d.activities[0] = {
        ...d.activities[0],
        layout: { x: 5 },
        notes: 'n',
        join: 'all',
        onError: 'fault',
        effect: 'atLeastOnce',
      }
    })
    expect(diffGraphs(base, after)).toEqual({ changes: [], migration: 'safe' })
  })

  it('names what changed in an activity by pointer, one change per aspect', () => {
    const after = edited((d) => {
      Object.assign(d.activities[1], { name: 'Ask', retry: { attempts: 5 }, join: 'any' })
      d.activities[1].inputs.timeout = '9d'
      d.activities[2].inputs.items = [1, 3]
    })
    expect(summary(after)).toEqual([
      'activity changed ask /inputs/timeout needs-care',
      'activity changed ask /join /retry/attempts needs-care',
      'activity changed ask /name safe',
      'activity changed loop /inputs/items/1 needs-care',
    ])
    const change = diffGraphs(base, after).changes[0]
    expect(change).toMatchObject({
      aspect: 'inputs',
      pointer: '/activities/1',
      fields: [{ before: '7d', after: '9d' }],
    })
  })

  it('judges inputs of what decides at once as safe when it knows the types', () => {
    const before = { id: 'w', activities: [{ id: 'i', type: 'if', inputs: { condition: true } }] }
    const after = { id: 'w', activities: [{ id: 'i', type: 'if', inputs: { condition: { $expr: 'input.x' } } }] }
    expect(diffGraphs(before, after).migration).toBe('needs-care')
    expect(diffGraphs(before, after, builtInCatalogue()).migration).toBe('safe')
  })

  it('tells added, removed and moved activities and their connections', () => {
    expect(
      summary(
        edited((d) => {
          d.activities.push(log('extra'))
          d.connections.push({ from: 'end', to: 'extra' })
        }),
      ),
    ).toEqual(['activity added extra safe', 'connection added end-done-extra safe'])
    expect(summary(edited((d) => d.activities.push(log('alone'))))).toEqual(['activity added alone needs-care'])
    expect(
      summary(
        edited((d) => {
          d.activities.pop()
          d.connections.pop()
        }),
      ),
    ).toEqual(['activity removed end breaks', 'connection removed loop-done-end safe'])
    expect(
      summary(
        edited((d) => {
          const [x] = d.activities[2].body.activities.splice(0, 1)
          d.activities[2].body.connections = []
          d.activities.push(x)
        }),
      ),
    ).toEqual(['activity changed x /scope breaks', 'connection removed x-done-y needs-care'])
  })

  it('takes another type for what it is', () => {
    expect(
      summary(
        edited((d) => {
          d.activities[3].type = 'fault'
        }),
      ),
    ).toEqual(['activity changed end /type breaks'])
  })

  it('judges connections by where they lead', () => {
    expect(summary(edited((d) => d.connections.push({ from: 'a', to: 'end' })))).toEqual([
      'connection added a-done-end needs-care',
    ])
    expect(summary(edited((d) => d.connections.push({ from: 'ask', outcome: 'timeout', to: 'a' })))).toEqual([
      'connection added ask-timeout-a needs-care',
    ])
    expect(summary(edited((d) => d.connections.shift()))).toEqual(['connection removed a-done-ask needs-care'])
  })

  it('tells variables, schemas and texts', () => {
    expect(
      summary(
        edited((d) => {
          d.name = 'Orders'
          d.variables = { n: { type: 'string', default: 'x' }, m: {} }
          d.input.properties.amount.type = 'integer'
          d.output = true
        }),
      ),
    ).toEqual([
      'workflow changed /name safe',
      'input changed /properties/amount/type needs-care',
      'output changed safe',
      'variable added m safe',
      'variable changed n /default /type needs-care',
    ])
    expect(
      summary(
        edited((d) => {
          delete d.variables
        }),
      ),
    ).toEqual(['variable removed n needs-care'])
    expect(summary({ ...base, id: 'other' })).toEqual(['workflow changed /id breaks'])
  })

  it('loses nothing to names that every object has', () => {
    const before = {
      id: 'w',
      activities: [log('constructor')],
      variables: { toString: { default: 1 } },
    } as GraphDocument
    expect(diffGraphs(before, { id: 'w', activities: [log('toString')] }).changes.map((each) => each.change)).toEqual([
      'removed',
      'renamed',
    ])
  })
})

describe('renames', () => {
  it('are told when everything else is equal', () => {
    const after = edited((d) => {
      d.activities[1].id = 'approval'
      d.connections = JSON.parse(JSON.stringify(d.connections).replaceAll('"ask"', '"approval"'))
    })
    expect(summary(after)).toEqual(['activity renamed approval needs-care'])
    expect(diffGraphs(base, after).changes[0]).toMatchObject({ previousId: 'ask', pointer: '/activities/1' })
  })

  it('of a container and of all inside and around it', () => {
    const text = JSON.stringify(base).replace(/"(a|ask|loop|end)"/g, '"new-$1"')
    expect(summary(JSON.parse(text)).sort()).toEqual(
      ['a', 'ask', 'end', 'loop'].map((id) => `activity renamed new-${id} needs-care`),
    )
  })

  it('are no renames when something else changed too', () => {
    expect(
      summary(
        edited((d) => {
          d.activities[3] = log('last', 'bye')
          d.connections[2].to = 'last'
        }),
      ),
    ).toEqual([
      'activity removed end breaks',
      'activity added last safe',
      'connection removed loop-done-end safe',
      'connection added loop-done-last safe',
    ])
  })

  it('are not guessed between twins', () => {
    const twins = (...ids: string[]) => ({ id: 'w', activities: ids.map((id) => log(id)) })
    expect(diffGraphs(twins('a', 'b'), twins('c', 'd')).changes.map((each) => each.change)).toEqual([
      'removed',
      'removed',
      'added',
      'added',
    ])
  })

  it('of a long chain of twins take no time to speak of', () => {
    const chain = (prefix: string): GraphDocument => ({
      id: 'w',
      activities: Array.from({ length: 5_000 }, (_, n) => log(`${prefix}${n}`)),
      connections: Array.from({ length: 4_999 }, (_, n) => ({ from: `${prefix}${n}`, to: `${prefix}${n + 1}` })),
    })
    const diff = diffGraphs(chain('a'), chain('b'))
    expect(comparable(applyDiff(chain('a'), diff))).toBe(comparable(meaningOf(chain('b'))))
  }, 30_000)
})

describe('of random graphs', () => {
  const documents = randomDocuments({ cycles: true })

  it('a graph does not differ from itself', () => {
    fc.assert(
      fc.property(documents, (document) => {
        expect(diffGraphs(document, structuredClone(document)).changes).toEqual([])
      }),
    )
  })

  it('the changes explain the whole difference', () => {
    fc.assert(
      fc.property(documents, documents, (a, b) => {
        expect(comparable(applyDiff(a, diffGraphs(a, b)))).toBe(comparable(meaningOf(b)))
      }),
      { numRuns: 300 },
    )
  })

  it('and so they do after edits and renames', () => {
    fc.assert(
      fc.property(
        documents,
        fc.array(fc.tuple(fc.nat(99), fc.constantFrom('rename', 'drop', 'inputs', 'policy', 'retype')), {
          maxLength: 4,
        }),
        (a, edits) => {
          const b = edits.reduce((document, [at, what]) => mutate(document, at, what), a)
          expect(comparable(applyDiff(a, diffGraphs(a, b)))).toBe(comparable(meaningOf(b)))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('renaming one activity is one change, unless it has a twin', () => {
    fc.assert(
      fc.property(documents, fc.nat(99), (a, at) => {
        const b = mutate(a, at, 'rename')
        expect(diffGraphs(a, b).changes.map(({ change }) => change)).toEqual(['renamed'])
      }),
      { numRuns: 300 },
    )
  })
})

describe('a diff of large graphs', () => {
  it('of which all is renamed and one end does not agree is made in bounded time', () => {
    const chain = (prefix: string, connected: number): GraphDocument => ({
      id: 'chain',
      activities: Array.from({ length: 5_000 }, (_, n) => log(`${prefix}${n}`, `message ${n}`)),
      connections: Array.from({ length: connected }, (_, n) => ({ from: `${prefix}${n}`, to: `${prefix}${n + 1}` })),
    })
    const [before, after] = [chain('s', 4_999), chain('t', 4_998)]
    const compare = (): void => expect(diffGraphs(before, after).changes.length).toBeGreaterThan(4_999)
    expect(costOf(compare)).toBeLessThan(100)
  })
})

function mutate(document: GraphDocument, at: number, what: string): GraphDocument {
  const ids = [...JSON.stringify(document).matchAll(/"id":"(a\d+)"/g)].map((match) => match[1]!)
  const id = ids[at % Math.max(ids.length, 1)]
  if (id === undefined) return document
  if (what === 'rename') return JSON.parse(JSON.stringify(document).replaceAll(`"${id}"`, `"z${id}"`))
  return JSON.parse(JSON.stringify(document), (_, value) => {
    if (what === 'drop' && Array.isArray(value)) {
      return value.filter((each) => each?.id !== id && each?.from !== id && each?.to !== id)
    }
    if (value?.id !== id) return value
    if (what === 'inputs') return { ...value, inputs: { ...value.inputs, [`i${at}`]: at } }
    if (what === 'policy') return { ...value, timeout: `${at + 1}s`, join: at % 2 ? 'any' : 'all' }
    return what === 'retype' ? { ...value, type: 'other' } : value
  })
}
