import { describe, expect, it } from 'vitest'
import { drive } from '../fixtures/toy-driver.fixture.ts'
import { runToy, toyBody, toyDocument, toyVerdict } from '../fixtures/toy-shell.fixture.ts'
import { isFinished } from '../verdict.ts'

const loop = (body: ReturnType<typeof toyBody>, inputs = {}) => ({ id: 'loop', type: 'for-each', inputs, body })

describe('for-each', () => {
  it('runs its body once per item, one turn after the other', () => {
    const { start, open, done, state } = drive(
      toyDocument([loop(toyBody(['x', 'y'], ['x -> y'])), 'end'], ['loop -> end']),
    )
    expect(start()).toEqual(['loop'])
    expect(open('loop', { items: ['a', 'b'] })).toEqual(['loop[0].x'])
    expect(done('loop[0].x')).toEqual(['loop[0].y'])
    expect(done('loop[0].y')).toEqual(['loop[1].x'])
    expect(done('loop[1].x')).toEqual(['loop[1].y'])
    expect(done('loop[1].y')).toEqual(['end'])
    done('end')
    expect(isFinished(state)).toBe(true)
  })

  it('keeps as many turns going as its concurrency allows', () => {
    const { start, open, done } = drive(toyDocument([loop(toyBody(['x']))]))
    start()
    expect(open('loop', { items: [1, 2, 3, 4], concurrency: 2 })).toEqual(['loop[0].x', 'loop[1].x'])
    expect(done('loop[1].x')).toEqual(['loop[2].x'])
    expect(done('loop[0].x')).toEqual(['loop[3].x'])
  })

  it('is over at once without items', () => {
    const { start, open } = drive(toyDocument([loop(toyBody(['x'])), 'end'], ['loop -> end']))
    start()
    expect(open('loop', { items: [] })).toEqual(['end'])
  })

  it('goes through any number of items when its body is empty', () => {
    const { start, open } = drive(toyDocument([loop(toyBody([])), 'end'], ['loop -> end']))
    start()
    expect(open('loop', { items: Array.from({ length: 100_000 }, () => null) })).toEqual(['end'])
  })

  it('shows item and index to its body, those of the innermost loop', () => {
    const inner = {
      id: 'inner',
      type: 'for-each',
      inputs: { items: { $expr: 'item.parts' } },
      body: toyBody([{ id: 'x', type: 'task', inputs: { seen: { $expr: '[item, index]' } } }]),
    }
    const after = { id: 'after', type: 'task', inputs: { seen: { $expr: '[item.name, index]' } } }
    const document = toyDocument(
      [
        loop(toyBody([inner, after], ['inner -> after']), { items: { $expr: 'input' } }),
        { id: 'end', type: 'set-output', inputs: { name: 'count', value: { $expr: 'steps.loop.output.count' } } },
      ],
      ['loop -> end'],
    )
    const run = runToy(document, [
      { name: 'one', parts: ['p', 'q'] },
      { name: 'two', parts: [] },
    ])
    const seen = run.facts.flatMap((fact) =>
      fact.kind === 'completed' && fact.output ? [[fact.step, fact.output]] : [],
    )
    expect(seen).toEqual([
      ['loop[0].inner[0].x', { seen: ['p', 0] }],
      ['loop[0].inner[1].x', { seen: ['q', 1] }],
      ['loop[0].after', { seen: ['one', 0] }],
      ['loop[1].after', { seen: ['two', 1] }],
    ])
    expect(toyVerdict(run)).toEqual({ status: 'completed', output: { count: 2 } })
  })

  it('ends as a whole when a turn fails and it may go on', () => {
    const document = toyDocument([{ ...loop(toyBody(['x'])), onError: 'continue' }, 'end'], ['loop -> end'])
    const { start, open, fail, cancelled } = drive(document)
    start()
    open('loop', { items: [1, 2, 3], concurrency: 2 })
    expect(fail('loop[1].x')).toEqual(['end'])
    expect(cancelled()).toEqual(['loop[0].x'])
  })

  it('numbers its own runs, so that keys of its body never repeat', () => {
    const edges = ['s -> loop', 'loop -> check', 'check -again-> loop']
    const { start, open, done } = drive(toyDocument(['s', loop(toyBody(['x'])), 'check'], edges))
    start()
    expect(done('s')).toEqual(['loop'])
    expect(open('loop', { items: [1] })).toEqual(['loop[0].x'])
    expect(done('loop[0].x')).toEqual(['check'])
    expect(done('check', 'again')).toEqual(['loop#2'])
    expect(open('loop#2', { items: [1] })).toEqual(['loop#2[0].x'])
  })
})
