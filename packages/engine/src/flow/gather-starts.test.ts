import { defineError, silentLogger, systemClock } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { Fenced } from '../store/errors.ts'
import type { ControlledStart, FlowVerdict } from './flow-store.ts'
import { GatherStarts } from './gather-starts.ts'

const Unknown = defineError('COMMIT_UNKNOWN', { retryable: false }, () => 'no answer')

const start = (instanceId: string, definitionId = 'w'): ControlledStart => ({
  item: {
    ...{ tenant: 't', instanceId, definitionId, version: 1, correlationId: undefined, dedupeKey: undefined },
    ...{ parentId: undefined, parentStep: undefined, queue: 'default', claimed: true, dueInMs: 0 },
    started: { kind: 'started', data: '{}' },
  },
  revision: 1,
  keys: { singleton: '', concurrency: '', rate: '', throttle: '', gather: undefined },
  priority: 0,
})
const verdictOf = ({ item }: ControlledStart): FlowVerdict => ({ kind: 'attached', instanceId: item.instanceId })

interface Sent {
  readonly nodeId: string
  readonly ids: readonly string[]
  readonly claimed: readonly boolean[]
}

function gatherWith(answer: (sent: Sent, nth: number) => Promise<void>) {
  const sent: Sent[] = []
  let nodeId = 'n1'
  const gathered = new GatherStarts({
    ...{ clock: systemClock, logger: silentLogger, nodeId: () => nodeId },
    store: {
      start: async (by, starts) => {
        const call = {
          nodeId: by,
          ids: starts.map(({ item }) => item.instanceId),
          claimed: starts.map(({ item }) => item.claimed),
        }
        sent.push(call)
        await answer(call, sent.length)
        return starts.map(verdictOf)
      },
    },
  })
  return {
    gathered,
    sent,
    becomes: (id: string) => {
      nodeId = id
    },
  }
}

describe('gathered starts', () => {
  it('send the first at once, and what came meanwhile together', async () => {
    const { gathered, sent } = gatherWith(async () => undefined)
    const verdicts = await Promise.all(['a', 'b', 'c'].map((id) => gathered.start(start(id))))
    expect(sent.map(({ ids }) => ids)).toEqual([['a'], ['b', 'c']])
    expect(verdicts.map((verdict) => 'instanceId' in verdict && verdict.instanceId)).toEqual(['a', 'b', 'c'])
  })

  it('do not let one definition wait for another', async () => {
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { gathered } = gatherWith(({ ids }) => (ids.includes('slow') ? held : Promise.resolve()))
    const slow = gathered.start(start('slow', 'v'))
    expect(await gathered.start(start('quick', 'w'))).toMatchObject({ instanceId: 'quick' })
    release()
    expect(await slow).toMatchObject({ instanceId: 'slow' })
  })

  it('send again what was not answered, for a claim only under the same node', async () => {
    const harness = gatherWith(async (_, nth) => {
      if (nth > 1) return
      harness.becomes('n2')
      throw new Unknown({})
    })
    await harness.gathered.start(start('a'))
    expect(harness.sent).toEqual([
      { nodeId: 'n1', ids: ['a'], claimed: [true] },
      { nodeId: 'n2', ids: ['a'], claimed: [false] },
    ])
  })

  it('do not take the burial of their node for the answer to an attempt before it', async () => {
    const harness = gatherWith(async (_, nth) => {
      if (nth === 1) throw new Unknown({})
      if (nth > 2) return
      harness.becomes('n2')
      throw new Fenced({ nodeId: 'n1' })
    })
    expect(await harness.gathered.start(start('a'))).toMatchObject({ instanceId: 'a' })
    expect(harness.sent.map(({ nodeId }) => nodeId)).toEqual(['n1', 'n1', 'n2'])
  })

  it('send one by one what cannot be written together', async () => {
    const { gathered } = gatherWith(async ({ ids }) => {
      if (ids.includes('bad')) throw new Error('it cannot be written')
    })
    const answers = await Promise.allSettled(['a', 'b', 'bad', 'c'].map((id) => gathered.start(start(id))))
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  })
})
