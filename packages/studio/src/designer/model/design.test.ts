import { describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import {
  addBody,
  addNote,
  addStep,
  connect,
  copySteps,
  Design,
  disconnect,
  inFlowOrder,
  type JsonObject,
  moveSteps,
  pasteSteps,
  placeProblems,
  ROOT,
  removeBody,
  removeNotes,
  removeSteps,
  rename,
  setDisabled,
  setField,
  setInput,
  setMember,
  setNote,
  setOutcome,
  setVariable,
  stepsOf,
  wrapSteps,
} from './index.ts'

/** What an author writes between backticks. */
const template = (id: string): string => ['`x/$', `{steps['${id}'].output}`, '`'].join('')
const order: JsonObject = {
  id: 'order',
  name: 'Order',
  $schema: 'https://example.com/schema',
  input: { type: 'object', properties: { amount: { type: 'number' } } },
  variables: { attempts: { type: 'number', default: 0, 'x-why': 'counts' } },
  flow: { singleton: true },
  layout: { zoom: 2 },
  'x-owner': ['ann', { team: 7 }],
  notes: [{ id: 'n1', text: 'Look here', x: 3, y: 4, color: 'amber' }],
  activities: [
    {
      id: 'big',
      type: 'if',
      inputs: { condition: { $expr: 'input.amount > 1000' } },
      layout: { position: { x: 0, y: 0 } },
    },
    { id: 'ask', type: 'wait-for-event', inputs: { event: 'approved' }, retry: { attempts: 3 }, 'x-note': null },
    {
      id: 'each',
      type: 'for-each',
      inputs: { items: { $expr: 'steps.ask.output.items' }, collect: 'price' },
      body: {
        activities: [
          { id: 'price', type: 'http-request', inputs: { url: { $expr: template('ask') } } },
          { id: 'show', type: 'log', inputs: {} },
        ],
        connections: [{ from: 'price', to: 'show', 'x-line': 1 }],
        'x-body': true,
      },
    },
    {
      id: 'both',
      type: 'parallel',
      branches: [{ activities: [{ id: 'l', type: 'log' }], connections: [] }, { activities: [] }],
      compensate: { activities: [{ id: 'undo', type: 'log' }] },
    },
    {
      id: 'guard',
      type: 'try',
      body: { activities: [{ id: 'risky', type: 'script', inputs: { code: 'return steps.big' } }] },
      catch: { activities: [] },
      finally: { activities: [] },
    },
  ],
  connections: [
    { from: 'big', outcome: 'true', to: 'ask' },
    { from: 'big', outcome: 'false', to: 'each' },
    { from: 'ask', to: 'each' },
    { from: 'each', outcome: 'done', to: 'both' },
    { from: 'both', to: 'guard' },
  ],
}

const open = (json: JsonObject = order): Design => {
  const read = Design.fromGraph(json)
  if (read.status !== 'read') throw new Error(read.reason)
  return read.design
}
const text = (design: Design): string => JSON.stringify(design.toGraph())

describe('a design', () => {
  it.each<[string, JsonObject]>([
    ['everything at once', order],
    ['nothing', { id: 'a', activities: [] }],
    ['empty lists written out', { id: 'a', activities: [], connections: [], variables: {}, notes: [] }],
    [
      'two steps of one id',
      {
        id: 'a',
        activities: [
          { id: 'x', type: 'log' },
          { id: 'x', type: 'delay' },
        ],
      },
    ],
    ['a body that is none', { id: 'a', activities: [{ id: 'x', type: 'try', body: 7, branches: [1], catch: null }] }],
    ['notes of another kind', { id: 'a', activities: [], notes: 'remember', variables: 3 }],
    [
      'a line to nowhere, twice',
      {
        id: 'a',
        activities: [{ id: 'x', type: 'log', inputs: 4 }],
        connections: [
          { from: 'x', to: 'gone' },
          { from: 'x', to: 'gone' },
        ],
      },
    ],
  ])('gives back the document it was made of: %s', (_, json) => {
    expect(open(json).toGraph()).toEqual(json)
  })

  it('says why a document cannot be drawn', () => {
    expect(Design.fromGraph({ id: 'a', activities: [{ type: 'log' }] }).status).toBe('unreadable')
    expect(Design.fromGraph(null).status).toBe('unreadable')
  })

  it('writes equal text whichever way it came to be', () => {
    const { connections, id, ...rest } = order
    expect(text(open({ connections, ...rest, id } as JsonObject))).toBe(text(open()))
    expect(text(Design.fromState(open().state()))).toBe(text(open()))
  })

  it('E13 takes thirty different edits back and forth, to the byte', () => {
    const design = open()
    const edits: ((design: Design) => unknown)[] = [
      (d) => addStep(d, { type: 'log', position: { x: 10, y: 20 } }),
      (d) => addStep(d, { type: 'delay', into: '|ask done each' }),
      (d) => addStep(d, { type: 'for-each', slots: ['body'], after: { step: 'guard', outcome: 'done' } }),
      (d) => addStep(d, { type: 'log', body: 'both/branches:1' }),
      (d) => rename(d, 'ask', 'Ask the boss'),
      (d) => setInput(d, 'ask', 'event', 'agreed'),
      (d) => setInput(d, 'ask', 'timeout', '7d'),
      (d) => setField(d, 'ask', 'retry', undefined),
      (d) => setField(d, 'big', 'timeout', '5s'),
      (d) => connect(d, 'log', 'done', 'big'),
      (d) => disconnect(d, ['|both done guard']),
      (d) => setOutcome(d, '|big false each', 'true'),
      (d) => moveSteps(d, new Map([...d.view.steps.keys()].map((key, x) => [key, { x: x * 10, y: 5 }]))),
      (d) => setDisabled(d, ['big', 'price'], true),
      (d) => setDisabled(d, ['price'], false),
      (d) => addNote(d, { text: 'here', x: 1, y: 2, width: 100, height: 50 }),
      (d) => setNote(d, 'n1', { text: 'there' }),
      (d) => removeNotes(d, ['n1']),
      (d) => setVariable(d, 'total', { type: 'number' }),
      (d) => setVariable(d, 'attempts', undefined),
      (d) => setMember(d, 'name', 'Orders'),
      (d) => setMember(d, 'description', 'All of them'),
      (d) => wrapSteps(d, ['ask', 'each'], 'try', 'body'),
      (d) => addBody(d, 'both', 'branches'),
      (d) => removeBody(d, 'both/branches:0'),
      (d) => pasteSteps(d, copySteps(d, ['try', 'big'])!),
      (d) => removeSteps(d, ['guard']),
      (d) => removeSteps(d, ['big', 'log']),
      (d) => setMember(d, 'output', { type: 'object' }),
      (d) => removeSteps(d, [...d.view.steps.keys()]),
    ]
    const texts = [text(design)]
    for (const edit of edits) {
      edit(design)
      texts.push(text(design))
    }
    expect(texts.filter((each, at) => texts.indexOf(each) !== at)).toEqual([])
    for (let at = edits.length - 1; at >= 0; at--) {
      expect(design.undo()).toBe(true)
      expect(text(design)).toBe(texts[at])
    }
    expect(design.canUndo).toBe(false)
    for (let at = 1; at <= edits.length; at++) {
      expect(design.redo()).toBe(true)
      expect(text(design)).toBe(texts[at])
    }
  })

  it('takes typing back as one step, and another field as another', () => {
    const design = open()
    for (const value of ['a', 'ag', 'agr']) setInput(design, 'ask', 'event', value)
    setInput(design, 'ask', 'timeout', '1d')
    design.undo()
    expect(design.view.steps.get('ask')!.inputs).toEqual({ event: 'agr' })
    design.undo()
    expect(design.view.steps.get('ask')!.inputs).toEqual({ event: 'approved' })
  })

  it('keeps what did not change, so that only what did is drawn again', () => {
    const design = open()
    const before = design.view
    setInput(design, 'ask', 'event', 'agreed')
    expect(design.view.steps.get('big')).toBe(before.steps.get('big'))
    expect(design.view.steps.get('ask')).not.toBe(before.steps.get('ask'))
    expect(design.view.connections).toBe(before.connections)
  })

  it('removes a container with all that is inside, and every line of it', () => {
    const design = open()
    removeSteps(design, ['each', 'both'])
    const { activities, connections } = design.toGraph() as { activities: JsonObject[]; connections: JsonObject[] }
    expect(activities.map(({ id }) => id)).toEqual(['big', 'ask', 'guard'])
    expect(connections).toEqual([{ from: 'big', outcome: 'true', to: 'ask' }])
  })

  it('puts a step into a line', () => {
    const design = open()
    const key = addStep(design, { type: 'log', into: '|ask done each' })
    expect(design.view.connections.has(`|ask done ${key}`)).toBe(true)
    expect(design.view.connections.has(`|${key} done each`)).toBe(true)
    expect(design.view.connections.has('|ask done each')).toBe(false)
  })

  it('connects steps of one body only', () => {
    const design = open()
    expect(connect(design, 'big', 'done', 'price').status).toBe('not-possible')
    expect(connect(design, 'big', 'done', 'big').status).toBe('not-possible')
    expect(connect(design, 'big', 'done', 'guard').status).toBe('connected')
  })

  it('wraps steps in a container that stands where they stood', () => {
    const design = open()
    const key = wrapSteps(design, ['ask', 'each'], 'critical-section', 'body')!
    const graph = design.toGraph() as { activities: JsonObject[]; connections: JsonObject[] }
    expect(graph.connections).toEqual([
      { from: 'both', to: 'guard' },
      { from: 'big', outcome: 'true', to: key },
      { from: 'big', outcome: 'false', to: key },
      { from: key, to: 'both' },
    ])
    expect(stepsOf(design.view, `${key}/body`).map(({ id }) => id)).toEqual(['ask', 'each'])
  })

  it('writes a disabled step as one that does nothing, and reads it again as it was', () => {
    const design = open()
    setDisabled(design, ['big'], true)
    const graph = design.toGraph() as { activities: JsonObject[]; connections: JsonObject[] }
    expect(graph.activities[0]).toEqual({
      id: 'big',
      type: 'transform',
      inputs: { value: null },
      layout: { position: { x: 0, y: 0 } },
      'x-disabled': {
        type: 'if',
        inputs: { condition: { $expr: 'input.amount > 1000' } },
        connections: [{ from: 'big', outcome: 'false', to: 'each' }],
      },
    })
    expect(graph.connections[0]).toEqual({ from: 'big', to: 'ask', 'x-outcome': 'true' })
    const again = open(graph)
    expect(again.toGraph()).toEqual(graph)
    setDisabled(again, ['big'], false)
    expect((again.toGraph().activities as JsonObject[])[0]).toEqual((order.activities as JsonObject[])[0])
  })

  it('joins what two people did to the same document', () => {
    const [one, other] = [open(), open()]
    setInput(one, 'ask', 'event', 'agreed')
    setInput(other, 'ask', 'timeout', '7d')
    addStep(other, { type: 'log' })
    Y.applyUpdate(one.doc, other.state(), 'remote')
    Y.applyUpdate(other.doc, one.state(), 'remote')
    expect(text(one)).toBe(text(other))
    expect(one.view.steps.get('ask')!.inputs).toEqual({ event: 'agreed', timeout: '7d' })
    one.undo()
    expect(one.view.steps.get('ask')!.inputs).toEqual({ event: 'approved', timeout: '7d' })
    expect(one.view.steps.has('log')).toBe(true)
  })

  it('lists steps in the order they run', () => {
    const { view } = open()
    expect(inFlowOrder(view, stepsOf(view, ROOT)).map(({ id }) => id)).toEqual(['big', 'ask', 'each', 'both', 'guard'])
  })
})

describe('the clipboard', () => {
  it('E14 gives new ids, keeps the lines between, and rewrites references among them', () => {
    const design = open()
    const copied = copySteps(design, ['ask', 'each', 'price'])!
    const result = pasteSteps(design, copied)
    expect(result).toEqual({ status: 'pasted', keys: ['ask2', 'each2'] })
    expect(design.view.connections.has('|ask2 done each2')).toBe(true)
    const each = design.view.steps.get('each2')!
    expect(each.inputs).toEqual({ items: { $expr: 'steps.ask2.output.items' }, collect: 'price2' })
    expect(design.view.steps.get('price2')!.inputs).toEqual({ url: { $expr: template('ask2') } })
    expect(design.view.connections.has('each2/body|price2 done show2')).toBe(true)
  })

  it('leaves ids and references to others as they are in a workflow that has none of them', () => {
    const design = open({ id: 'b', activities: [{ id: 'big', type: 'log' }] })
    expect(pasteSteps(design, copySteps(open(), ['each'])!)).toEqual({ status: 'pasted', keys: ['each'] })
    expect(design.view.steps.get('each')!.inputs.items).toEqual({ $expr: 'steps.ask.output.items' })
  })

  it('takes nothing that is no steps', () => {
    for (const text of ['', 'hello', '{}', '[1]', '{"format":"lockstep/steps","activities":[3]}'])
      expect(pasteSteps(open(), text).status).toBe('not-steps')
  })
})

describe('problems', () => {
  it('find the innermost step and the input they are about', () => {
    const { pointers } = open().written
    const problem = (pointer: string) => ({ pointer, code: 'X', text: 'x', severity: 'error' as const })
    const [inner, policy, whole] = placeProblems(
      ['/activities/2/body/activities/0/inputs/url/$expr', '/activities/1/retry/attempts', '/flow'].map(problem),
      pointers,
    )
    expect(inner).toMatchObject({ step: 'price', input: 'url' })
    expect(policy).toMatchObject({ step: 'ask', input: undefined, path: 'retry/attempts' })
    expect(whole).toMatchObject({ step: undefined, path: 'flow' })
  })
})
