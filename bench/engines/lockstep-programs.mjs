import { workflow } from '@lockstep/engine'

const trivial = async (value) => value + 1

export const three = workflow('three', async (ctx, input) => {
  const a = await ctx.step('s1', () => trivial(input.n))
  const b = await ctx.step('s2', () => trivial(a))
  return ctx.step('s3', () => trivial(b))
})

export const one = workflow('one', (ctx, input) => ctx.step('s1', () => trivial(input.n)))

export const waiter = workflow('waiter', (ctx) => ctx.waitFor('go'))

export const sleeper = workflow('sleeper', async (ctx, input) => {
  await ctx.sleep(input.ms)
  return null
})

/** How long each step of the last run took, in milliseconds, as its function saw it. */
export const stepsMs = []

export const many = workflow('many', async (ctx, input) => {
  stepsMs.length = 0
  let value = 0
  for (let index = 0; index < input.steps; index += 1) {
    const from = performance.now()
    value = await ctx.step('add', () => trivial(value))
    stepsMs.push(performance.now() - from)
  }
  return value
})

/** An activity that does something outside as far as the engine can tell, and nothing in truth. */
const nothing = (type) => ({
  type,
  kind: 'action',
  title: type,
  description: 'Does nothing, durably',
  inputs: { type: 'object', properties: {} },
  outcomes: ['done'],
  runs: 'effect',
  run: async (_inputs, context) => ({ kind: 'completed', outcome: 'done', output: context.attempt }),
})

/** The same, but for its first attempt. */
const flaky = {
  ...nothing('bench-flaky'),
  run: async (_inputs, { attempt }) => {
    if (attempt === 1) throw new Error('once')
    return { kind: 'completed', outcome: 'done' }
  },
}

export const activities = [nothing('bench-first'), nothing('bench-second'), nothing('bench-third'), flaky]

export const threeGraph = {
  id: 'three-graph',
  name: 'Three steps',
  activities: [
    { id: 's1', type: 'bench-first' },
    { id: 's2', type: 'bench-second' },
    { id: 's3', type: 'bench-third' },
  ],
  connections: [
    { from: 's1', to: 's2' },
    { from: 's2', to: 's3' },
  ],
}

export const loopGraph = {
  id: 'loop-graph',
  name: 'A long loop',
  variables: { sum: { type: 'number', default: 0 } },
  activities: [
    {
      id: 'loop',
      type: 'for-each',
      inputs: { items: { $expr: 'input.items' } },
      body: {
        activities: [{ id: 'add', type: 'set-variable', inputs: { name: 'sum', value: { $expr: 'vars.sum + item' } } }],
      },
    },
    { id: 'out', type: 'set-output', inputs: { name: 'sum', value: { $expr: 'vars.sum' } } },
  ],
  connections: [{ from: 'loop', to: 'out' }],
}

/** A for-each whose turns all run side by side. */
const wideGraph = (id, activities, inputs = {}) => ({
  id,
  activities: [
    {
      id: 'loop',
      type: 'for-each',
      inputs: { items: { $expr: 'input.items' }, concurrency: 10_000, ...inputs },
      body: {
        activities,
        connections: activities.slice(1).map((each, n) => ({ from: activities[n].id, to: each.id })),
      },
    },
    { id: 'out', type: 'set-output', inputs: { name: 'count', value: { $expr: 'steps.loop.output.count' } } },
  ],
  connections: [{ from: 'loop', to: 'out' }],
})
const value = (id, $expr) => ({ id, type: 'transform', inputs: { value: { $expr } } })
const waits = (inputs) => ({
  id: 'wait',
  type: 'wait-for-event',
  inputs: { event: 'go', correlationId: { $expr: '"turn-" + index' }, ...inputs },
})

export const wideGraphs = [
  wideGraph('wide-effect', [{ id: 'x', type: 'bench-first' }]),
  wideGraph('wide-inline', [value('x', 'item + 1'), value('y', 'steps.x.output + 1')], { collect: 'y' }),
  wideGraph('wide-delay', [
    { id: 'x', type: 'delay', inputs: { duration: { $expr: '20 + (index % 50) * 10' } } },
    { id: 'y', type: 'bench-first' },
  ]),
  wideGraph('wide-retry', [
    { id: 'x', type: 'bench-flaky', retry: { attempts: 2, backoff: { initial: '100ms' }, jitter: 0 } },
  ]),
  wideGraph('wide-timeout', [waits({ timeout: '1s' })]),
  wideGraph('wide-wait', [waits({})]),
]
