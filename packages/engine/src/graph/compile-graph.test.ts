import { describe, expect, it } from 'vitest'
import { compileGraph } from './compile-graph.ts'
import { toyBody, toyCatalogue, toyDocument, toyExpression, toyProgram } from './fixtures/toy-shell.fixture.ts'
import { EffectNotSupported, UnknownActivityType } from './graph-errors.ts'

describe('a compiled graph', () => {
  it('names its scopes by place', () => {
    const document = toyDocument([
      { id: 'loop', type: 'for-each', body: toyBody(['x']) },
      { id: 'par', type: 'parallel', branches: [toyBody(['y']), toyBody(['z'])] },
      { id: 'guard', type: 'try', body: toyBody(['b']), catch: toyBody(['c']), finally: toyBody(['f']) },
    ])
    expect([...toyProgram(document).scopes.keys()].sort()).toEqual([
      '',
      'guard:body',
      'guard:catch',
      'guard:finally',
      'loop:body',
      'par:branch:0',
      'par:branch:1',
    ])
  })

  it('takes a repeated connection once', () => {
    const program = toyProgram(toyDocument(['a', 'b'], ['a -> b', 'a -> b']))
    expect(program.byId.get('b')!.join).toBe('none')
    expect(program.byId.get('a')!.targets.get('done')).toHaveLength(1)
  })

  it('resolves policies', () => {
    const activity = { id: 'a', type: 'task', timeout: '2m', retry: { attempts: 3 }, effect: 'atMostOnce' as const }
    expect(toyProgram(toyDocument([activity])).byId.get('a')).toMatchObject({
      timeoutMs: 120_000,
      effect: 'atMostOnce',
      onError: 'fault',
      retry: { attempts: 3, initialMs: 1_000, factor: 2, maxMs: 300_000, jitter: 0.2 },
    })
  })

  it('is refused when an activity is not installed', () => {
    expect(() => compileGraph(toyDocument([{ id: 'a', type: 'nope' }]), toyCatalogue, toyExpression)).toThrow(
      UnknownActivityType,
    )
  })

  it('is transactional where the code is, whatever the document says', () => {
    const book = { id: 'a', type: 'book' }
    const asked = { ...book, id: 'b', effect: 'atLeastOnce' as const }
    const program = toyProgram(toyDocument([book, asked]))
    expect(program.activities.map(({ effect }) => effect)).toEqual(['transactional', 'transactional'])
  })

  it('is refused when it asks for a transaction that the code of this node does not have', () => {
    const asked = toyDocument([{ id: 'a', type: 'task', effect: 'transactional' }])
    expect(() => compileGraph(asked, toyCatalogue, toyExpression)).toThrow(EffectNotSupported)
  })
})
