import type { JsonObject } from '@lockstep/base'
import { type AnyWorkflow, type EffectActivity, type EngineLimits, workflow } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../engine/open-test-engine.ts'

const LARGE = 2_000

/** Code and undone steps that ran, by name. */
let ran: string[] = []

const counts = workflow('counts', async (ctx, input: { turns: number; size?: number }) => {
  for (let turn = 0; turn < input.turns; turn += 1) await ctx.step('turn', () => 'x'.repeat(input.size ?? 0))
  return input.turns
})

/** Has something to undo, and catches whatever it can. */
const careful = (act: (ctx: Parameters<Parameters<typeof workflow>[1]>[0]) => Promise<unknown>) =>
  workflow('careful', async (ctx) => {
    await ctx.step('book', () => ran.push('book'), { compensate: () => void ran.push('unbook') })
    try {
      return { size: JSON.stringify(await act(ctx)).length }
    } catch {
      return 'caught'
    }
  })

const child = workflow('child', async (ctx, input: { below?: number; text?: string } | null) => {
  const below = input?.below ?? 0
  return below === 0 ? 'bottom' : ctx.run('child', { below: below - 1 })
})

const gives: EffectActivity = {
  ...{ type: 'gives', kind: 'action', title: 'Give', description: 'For tests.', outcomes: ['done'] },
  inputs: { type: 'object' },
  runs: 'effect',
  run: async (inputs) => {
    ran.push(String(inputs.name ?? 'gives'))
    return { kind: 'completed', outcome: 'done', output: 'x'.repeat(Number(inputs.size ?? 0)) }
  },
}

const each = (items: string) => ({
  ...{ type: 'for-each', inputs: { items: { $expr: items } } },
  body: { activities: [{ id: 'one', type: 'log', inputs: { message: 'turn' } }] },
})
const text = { $expr: `'x'.repeat(${LARGE})` }

/** The step has all that handles failures around it, and one before it that can be undone. */
const carefulGraph = (id: string, activity: object): { id: string } & JsonObject => ({
  id,
  variables: { kept: { type: 'any' } },
  activities: [
    {
      ...{ id: 'book', type: 'gives', inputs: { name: 'book' } },
      compensate: { activities: [{ id: 'unbook', type: 'gives', inputs: { name: 'unbook' } }] },
    },
    {
      ...{ id: 'careful', type: 'try' },
      body: { activities: [{ id: 'act', onError: 'continue', ...activity }] },
      catch: { activities: [{ id: 'caught', type: 'set-output', inputs: { name: 'caught', value: true } }] },
    },
    { id: 'between', type: 'log', inputs: { message: 'on the way' } },
    { id: 'last', type: 'set-output', inputs: { name: 'through', value: true } },
  ],
  connections: [
    { from: 'book', to: 'careful' },
    { from: 'careful', to: 'between' },
    { from: 'between', to: 'last' },
  ],
})

interface Breach {
  readonly limits: Partial<EngineLimits>
  readonly code: string
  readonly workflows?: readonly AnyWorkflow[]
  readonly graph?: { readonly id: string } & JsonObject
  readonly definitionId?: string
  readonly input?: JsonObject
  /** The failure that its parent has of it. */
  readonly through?: string
}

/** Runs it into the limit, again after a retry, then on an engine without that limit after another one. */
async function meets(given: Breach): Promise<{ readonly test: TestEngine; readonly output: unknown }> {
  ran = []
  const { limits, code, workflows = [], graph, through } = given
  const shared = { workflows, activities: [gives] }
  const test = await openTestEngine({ ...shared, limits })
  if (graph !== undefined) await test.publish(graph)
  const definitionId = given.definitionId ?? graph?.id ?? workflows[0]!.id
  const { instanceId, status, error } = await test.run(definitionId, given.input)
  const found = { status, code: error?.code, names: JSON.stringify(error).includes(Object.keys(limits)[0]!) }
  expect(found).toEqual({ status: 'faulted', code: through ?? code, names: true })
  const { incidents } = await test.engine.get(instanceId)
  expect(incidents.map((incident) => incident.code)).toEqual([through ?? code])

  expect(await test.engine.verbs.retry(instanceId)).toMatchObject({ outcome: 'accepted' })
  expect((await test.engine.waitForEnd(instanceId))?.error, 'the limit still holds').toMatchObject({
    code: through ?? code,
  })
  await test.engine.close(100)
  const raised = await test.beside(shared)
  try {
    expect(await raised.engine.verbs.retry(instanceId)).toMatchObject({ outcome: 'accepted' })
    const end = await raised.engine.waitForEnd(instanceId, { limitMs: 30_000 })
    expect(end).toMatchObject({ status: 'completed' })
    expect(ran, 'nothing was undone').not.toContain('unbook')
    expect((await raised.engine.get(instanceId)).incidents).toEqual([])
    return { test, output: end?.output }
  } finally {
    await raised.engine.close(100)
  }
}

describe('a limit of an instance that is met faults it with an incident, and lets it go on once it was raised', () => {
  const graphs: readonly (readonly [string, Partial<EngineLimits>, string, object])[] = [
    ['facts without a rest', { stepsPerBurst: 20 }, 'LIMIT_BURST', each('Array.from({ length: 60 })')],
    ['facts of a journal', { stepsPerInstance: 20 }, 'LIMIT_STEPS', each('Array.from({ length: 30 })')],
    [
      'what is remembered',
      { stateBytes: 1_500 },
      'LIMIT_STATE',
      { type: 'set-variable', inputs: { name: 'kept', value: text } },
    ],
    ['turns of a loop', { fanOut: 10 }, 'LIMIT_FAN_OUT', each('Array.from({ length: 11 })')],
    [
      'children',
      { fanOut: 1 },
      'LIMIT_FAN_OUT',
      { type: 'bulk-run', inputs: { definitionId: 'child', items: [null, null] } },
    ],
    [
      'what children gave',
      { stateBytes: 900 },
      'PAYLOAD_TOO_LARGE',
      { type: 'bulk-run', inputs: { definitionId: 'child', items: [null, null, null] } },
    ],
    ['an output', { payloadBytes: 1_000 }, 'PAYLOAD_TOO_LARGE', { type: 'gives', inputs: { size: LARGE } }],
    ['an answer', { payloadBytes: 1_000 }, 'EXPRESSION_LIMIT', { type: 'transform', inputs: { value: text } }],
    [
      'a value of several answers',
      { payloadBytes: 3_000 },
      'PAYLOAD_TOO_LARGE',
      { type: 'transform', inputs: { value: [text, text] } },
    ],
    [
      'a variable',
      { payloadBytes: 3_000 },
      'PAYLOAD_TOO_LARGE',
      { type: 'set-variable', inputs: { name: 'kept', value: [text, text] } },
    ],
    [
      'an output of the workflow',
      { payloadBytes: 3_000 },
      'PAYLOAD_TOO_LARGE',
      { type: 'set-output', inputs: { name: 'large', value: [text, text] } },
    ],
    [
      'an event',
      { payloadBytes: 3_000 },
      'PAYLOAD_TOO_LARGE',
      { type: 'publish-event', inputs: { event: 'told', payload: [text, text] } },
    ],
    [
      'what a script gives',
      { payloadBytes: 1_000 },
      'EXPRESSION_LIMIT',
      { type: 'script', inputs: { code: `return 'x'.repeat(${LARGE})` } },
    ],
    [
      'a variable of a script',
      { payloadBytes: 1_000 },
      'EXPRESSION_LIMIT',
      { type: 'script', inputs: { code: `setVariable('kept', 'x'.repeat(${LARGE}))` } },
    ],
  ]
  it.each(graphs)('graph: %s', async (_, limits, code, activity) => {
    const { test, output } = await meets({
      ...{ limits, code, workflows: [child] },
      graph: carefulGraph('careful-graph', activity),
    })
    await using _test = test
    expect(output).toMatchObject({ through: true })
    expect(output).not.toHaveProperty('caught')
    expect(ran.filter((name) => name === 'book')).toHaveLength(1)
  })

  const functions: readonly (readonly [
    string,
    Partial<EngineLimits>,
    string,
    (ctx: Parameters<Parameters<typeof workflow>[1]>[0]) => Promise<unknown>,
  ])[] = [
    ['an output', { payloadBytes: 1_000 }, 'PAYLOAD_TOO_LARGE', (ctx) => ctx.step('act', () => 'x'.repeat(LARGE))],
    [
      'an output of a step that runs at most once',
      { payloadBytes: 1_000 },
      'PAYLOAD_TOO_LARGE',
      (ctx) => ctx.step('act', () => 'x'.repeat(LARGE), { effect: 'atMostOnce', retry: { attempts: 3 } }),
    ],
    [
      'what a transaction gives',
      { payloadBytes: 1_000 },
      'PAYLOAD_TOO_LARGE',
      (ctx) => ctx.transaction('act', async () => 'x'.repeat(LARGE)),
    ],
    [
      'an event',
      { payloadBytes: 1_000 },
      'PAYLOAD_TOO_LARGE',
      (ctx) => ctx.publish('told', 'x'.repeat(LARGE)).then(() => 'told'),
    ],
    [
      'an input of a child',
      { payloadBytes: 1_000 },
      'PAYLOAD_TOO_LARGE',
      (ctx) => ctx.run('child', { text: 'x'.repeat(LARGE) }),
    ],
    [
      'branches',
      { fanOut: 2 },
      'LIMIT_FAN_OUT',
      (ctx) => ctx.all([1, 2, 3].map((n) => ctx.step(`branch ${n}`, () => n))),
    ],
    [
      'children at once',
      { fanOut: 2 },
      'LIMIT_FAN_OUT',
      (ctx) => Promise.all([1, 2, 3].map(() => ctx.run('child', null))),
    ],
    ['what is remembered', { stateBytes: 1_500 }, 'LIMIT_STATE', (ctx) => ctx.step('act', () => 'x'.repeat(LARGE))],
  ]
  it.each(functions)('function: %s', async (_, limits, code, act) => {
    const { test, output } = await meets({ limits, code, workflows: [careful(act), child] })
    await using _test = test
    expect(output).toHaveProperty('size')
    expect(ran.filter((name) => name === 'book')).toHaveLength(1)
  })

  it('function: its result', async () => {
    const large = workflow('large', async (ctx) => {
      await ctx.step('book', () => ran.push('book'), { compensate: () => void ran.push('unbook') })
      return 'x'.repeat(LARGE)
    })
    const { test, output } = await meets({
      ...{ limits: { payloadBytes: 1_000 }, code: 'PAYLOAD_TOO_LARGE', workflows: [large] },
    })
    await using _test = test
    expect(output).toHaveLength(LARGE)
  })

  it.each([
    ['facts of a journal', { stepsPerInstance: 20 }, 'LIMIT_STEPS'],
    ['facts without a rest', { stepsPerBurst: 20 }, 'LIMIT_BURST'],
  ] as const)('function: %s', async (_, limits, code) => {
    const { test, output } = await meets({ limits, code, workflows: [counts], input: { turns: 60 } })
    await using _test = test
    expect(output).toBe(60)
  })

  it('function: workflows that run one another', async () => {
    const { test, output } = await meets({
      ...{ limits: { depth: 2 }, code: 'TOO_DEEP', through: 'CHILD_FAULTED', workflows: [child], input: { below: 4 } },
    })
    await using _test = test
    expect(output).toBe('bottom')
  })

  it('graph: workflows that run one another', async () => {
    const graph = {
      id: 'line',
      activities: [
        { id: 'more', type: 'if', inputs: { condition: { $expr: 'input.below > 0' } } },
        {
          ...{ id: 'below', type: 'run-workflow' },
          inputs: { definitionId: 'line', input: { below: { $expr: 'input.below - 1' } } },
        },
      ],
      connections: [{ from: 'more', outcome: 'true', to: 'below' }],
    }
    const { test } = await meets({
      ...{ limits: { depth: 2 }, code: 'TOO_DEEP', through: 'CHILD_FAULTED', graph, input: { below: 4 } },
    })
    await using _test = test
  })
})

describe('limits of an instance', () => {
  it('stop a loop that never ends, and nothing else', async () => {
    const forever = workflow('forever', async (ctx) => {
      for (;;) await ctx.step('turn', () => 1)
    })
    await using test = await openTestEngine({ workflows: [forever, counts], limits: { stepsPerBurst: 200 } })
    const [stopped, beside] = await Promise.all([test.run('forever'), test.run('counts', { turns: 100 })])
    expect(stopped).toMatchObject({ status: 'faulted', error: { code: 'LIMIT_BURST' } })
    expect(beside).toMatchObject({ status: 'completed', output: 100 })
  })

  it('let expressions pass on whatever an output may be', async () => {
    await using test = await openTestEngine({ activities: [gives] })
    await test.publish({
      id: 'passes',
      activities: [
        { id: 'large', type: 'gives', inputs: { size: 300_000 } },
        { id: 'pure', type: 'transform', inputs: { value: { $expr: 'steps.large.output' } } },
        { id: 'sandbox', type: 'transform', inputs: { value: { $expr: '(() => steps.pure.output)()' } } },
        { id: 'tell', type: 'set-output', inputs: { name: 'length', value: { $expr: 'steps.sandbox.output.length' } } },
      ],
      connections: ['large', 'pure', 'sandbox'].map((from, at) => ({ from, to: ['pure', 'sandbox', 'tell'][at]! })),
    })
    expect(await test.run('passes')).toMatchObject({ status: 'completed', output: { length: 300_000 } })
  })

  it('are no failures that a workflow can make up', async () => {
    await using test = await openTestEngine({ activities: [gives] })
    await test.publish(carefulGraph('made-up', { type: 'fault', inputs: { message: 'no', code: 'LIMIT_FAN_OUT' } }))
    expect(await test.run('made-up')).toMatchObject({ status: 'completed', output: { through: true } })
  })

  it('are refused when they make no sense', async () => {
    await expect(openTestEngine({ limits: { depth: 0 } })).rejects.toThrow('limits.depth')
  })
})
