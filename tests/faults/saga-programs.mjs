// Programs that can be undone. What they do and what they undo goes to the sink.
import { appendFileSync } from 'node:fs'
import { workflow } from '@lockstep/engine'

export function sagaWorkflows(outside) {
  const sink = (instance, step, { attempt, idempotencyKey: key }) => {
    const line = { instance, step, attempt, key, mode: 'atLeastOnce', node: outside.nodeName, pid: process.pid }
    appendFileSync(outside.sinkFile, `${JSON.stringify(line)}\n`)
  }
  const undoable = (ctx, name) =>
    ctx.step(name, (scope) => sink(ctx.instanceId, name, scope), {
      compensate: {
        run: (_, scope) => {
          sink(ctx.instanceId, `@undo:${name}`, scope)
          if (name === 'charge' && scope.attempt < 2) throw new Error('not yet')
        },
        retry: { attempts: 3, initial: 10 },
      },
    })

  const child = workflow('saga-child', async (ctx) => {
    await undoable(ctx, 'child')
    return ctx.waitFor('never')
  })

  const order = workflow('saga-order', async (ctx, input) => {
    await undoable(ctx, 'reserve')
    await ctx.all([undoable(ctx, 'west'), undoable(ctx, 'east')])
    await ctx.sleep(20)
    await undoable(ctx, 'charge')
    if (input.fails) throw new Error('no truck')
    await ctx.run(child, null)
  })
  return [child, order]
}

const note = (id) => ({ id, type: 'note', inputs: { value: id } })
const undoable = (id) => ({ ...note(id), compensate: { activities: [note(`un-${id}`)] } })
/** Its undo fails at first. */
const stubborn = (id) => {
  const undo = { id: `un-${id}`, type: 'note', inputs: { value: id, failFirst: true } }
  return {
    ...note(id),
    compensate: { activities: [{ ...undo, retry: { attempts: 3, backoff: { initial: '10ms' } } }] },
  }
}

export const sagaDocuments = [
  {
    id: 'saga-graph-child',
    activities: [undoable('child'), { id: 'ask', type: 'wait-for-event', inputs: { event: 'never' } }],
    connections: [{ from: 'child', to: 'ask' }],
  },
  {
    id: 'saga-race',
    activities: [
      {
        id: 'race',
        type: 'parallel',
        inputs: { join: 'any' },
        branches: [
          { activities: [{ id: 'kid', type: 'run-workflow', inputs: { definitionId: 'saga-graph-child' } }] },
          { activities: [{ id: 'nap', type: 'delay', inputs: { duration: '100ms' } }] },
        ],
      },
      { id: 'after', type: 'set-variable', inputs: { name: 'won', value: true } },
    ],
    connections: [{ from: 'race', to: 'after' }],
    variables: { won: { type: 'boolean', default: false } },
  },
  {
    id: 'saga-caught',
    variables: { caught: { type: 'boolean', default: false } },
    activities: [
      {
        id: 'order',
        type: 'try',
        body: {
          activities: [
            undoable('reserve'),
            stubborn('charge'),
            { id: 'ship', type: 'fault', inputs: { message: 'no truck' } },
          ],
          connections: [
            { from: 'reserve', to: 'charge' },
            { from: 'charge', to: 'ship' },
          ],
        },
        catch: {
          activities: [
            { id: 'undo', type: 'compensate' },
            { id: 'mark', type: 'set-variable', inputs: { name: 'caught', value: true } },
          ],
          connections: [{ from: 'undo', to: 'mark' }],
        },
      },
      { id: 'nap', type: 'delay', inputs: { duration: '20ms' } },
    ],
    connections: [{ from: 'order', to: 'nap' }],
  },
  {
    id: 'saga-graph',
    activities: [
      undoable('reserve'),
      {
        id: 'both',
        type: 'parallel',
        branches: [{ activities: [undoable('west')] }, { activities: [undoable('east')] }],
      },
      {
        id: 'each',
        type: 'for-each',
        inputs: { items: [1, 2] },
        body: { activities: [undoable('seat')] },
      },
      { id: 'nap', type: 'delay', inputs: { duration: '20ms' } },
      stubborn('charge'),
      { id: 'fails', type: 'if', inputs: { condition: { $expr: 'input.fails' } } },
      { id: 'boom', type: 'fault', inputs: { message: 'no truck' } },
      { id: 'kid', type: 'run-workflow', inputs: { definitionId: 'saga-graph-child' } },
    ],
    connections: [
      { from: 'reserve', to: 'both' },
      { from: 'both', to: 'each' },
      { from: 'each', to: 'nap' },
      { from: 'nap', to: 'charge' },
      { from: 'charge', to: 'fails' },
      { from: 'fails', outcome: 'true', to: 'boom' },
      { from: 'fails', outcome: 'false', to: 'kid' },
    ],
  },
]
