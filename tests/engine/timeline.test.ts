import { defineActivity, Type } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { openTestEngine } from './open-test-engine.ts'

describe('the timeline of an instance', () => {
  it('tells that it moved: a wait, and the loop around it, that another node ended', async () => {
    await using one = await openTestEngine()
    await one.publish({
      id: 'moving',
      activities: [
        {
          id: 'loop',
          type: 'for-each',
          inputs: { items: ['a', 'b'] },
          body: { activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } }] },
        },
      ],
    } as never)
    const { instanceId } = await one.engine.start({ definitionId: 'moving' })
    await one.rests(instanceId, 'suspended')
    await using two = await one.beside({})
    await one.engine.close(1_000)
    await two.engine.publish({ name: 'go' })
    await expect
      .poll(async () => (await two.engine.timeline(instanceId, { limit: 50 })).spans.at(-1)?.step, { timeout: 30_000 })
      .toBe('loop[1].ask')
    const { spans, next } = await two.engine.timeline(instanceId, { limit: 50 })
    expect(next).toBeUndefined()
    const nodes = (await two.engine.journal(instanceId)).map(({ nodeId }) => nodeId)
    const [first, last] = [nodes[0]!, nodes.at(-1)!]
    expect(first).not.toBe(last)
    expect(spans.map(({ kind, step, status, nodeIds }) => [kind, step, status, nodeIds])).toEqual([
      ['container', 'loop', 'running', [first, last]],
      ['wait', 'loop[0].ask', 'completed', [first, last]],
      ['wait', 'loop[1].ask', 'suspended', [last]],
    ])
    const { spans: page, next: place } = await two.engine.timeline(instanceId, { limit: 1 })
    expect([page, (await two.engine.timeline(instanceId, { after: place!, limit: 2 })).spans]).toEqual([
      spans.slice(0, 1),
      spans.slice(1),
    ])
  })

  it('tells what is under way, and no fact tells of yet', async () => {
    let go: () => void = () => undefined
    const gone = new Promise<void>((resolve) => {
      go = resolve
    })
    const slow = defineActivity({
      type: 'slow',
      title: 'Slow',
      description: 'Waits.',
      inputs: Type.Object({}),
      run: async () => {
        await gone
        return {}
      },
    })
    await using t = await openTestEngine({ activities: [slow] })
    await t.publish({
      id: 'busy',
      activities: [
        { id: 'first', type: 'log', inputs: { message: 'begun' } },
        { id: 'work', type: 'slow', name: 'Slow work' },
      ],
      connections: [{ from: 'first', to: 'work' }],
    } as never)
    const { instanceId } = await t.engine.start({ definitionId: 'busy' })
    await expect
      .poll(async () => (await t.engine.timeline(instanceId, { limit: 50 })).spans.at(-1))
      .toMatchObject({ step: 'work', kind: 'step', status: 'running', endedAt: undefined, fromSeq: undefined })
    go()
    await t.engine.waitForEnd(instanceId, { limitMs: 20_000 })
    expect((await t.engine.timeline(instanceId, { limit: 50 })).spans.at(-1)).toMatchObject({
      ...{ step: 'work', name: 'Slow work', status: 'completed', outcome: 'done' },
    })
  })
})
