/** What becomes of starts that are sent one by one while the store goes away. In virtual time. */
import { type Deferred, deferred, silentLogger } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import type { ControlledStart, FlowVerdict } from './flow-store.ts'
import { GatherStarts } from './gather-starts.ts'

const start = (instanceId: string): ControlledStart => ({
  item: {
    ...{ tenant: 't', instanceId, definitionId: 'w', version: 1, correlationId: undefined, dedupeKey: undefined },
    ...{ parentId: undefined, parentStep: undefined, queue: 'default', claimed: true, dueInMs: 0 },
    started: { kind: 'started', data: '{}' },
  },
  revision: 1,
  keys: { singleton: '', concurrency: '', rate: '', throttle: '', gather: undefined },
  priority: 0,
})

const verdict: FlowVerdict = { kind: 'started', version: 1, here: true, at: 1, woken: false }
const refusal = (code: string): Error => Object.assign(new Error('no'), { code, retryable: code === 'DATABASE_BUSY' })

/** The first start is answered; those behind it were refused together, and the first of them is under way alone. */
async function split(ids: readonly string[]) {
  const clock = virtualClock({})
  const sent: { readonly ids: string; readonly answer: Deferred<void> }[] = []
  const told: string[] = []
  let lateCount = 0
  const gathered = new GatherStarts({
    ...{ clock, logger: silentLogger, nodeId: () => 'n' },
    onLate: () => {
      lateCount += 1
    },
    store: {
      start: async (_, starts) => {
        const answer = deferred<void>()
        sent.push({ ids: starts.map(({ item }) => item.instanceId).join(' '), answer })
        await answer.promise
        return starts.map(() => verdict)
      },
    },
  })
  for (const id of ['first', ...ids])
    gathered.start(start(id)).then(
      () => told.push(`${id} started`),
      ({ code }) => told.push(`${id} ${code}`),
    )
  const answer = async (nth: number): Promise<void> => {
    sent[nth]!.answer.resolve()
    await clock.advance(0)
  }
  const refuse = async (nth: number, code: string): Promise<void> => {
    sent[nth]!.answer.reject(refusal(code))
    await clock.advance(0)
  }
  await answer(0)
  await refuse(1, 'DATABASE_REFUSED')
  told.length = 0
  return {
    ...{ clock, gathered, sent, told, answer, refuse },
    sentIds: () => sent.slice(2).map((each) => each.ids),
    lateCount: () => lateCount,
  }
}

describe('starts that are sent one by one', () => {
  it('are not sent any more once their callers were told that nothing was written', async () => {
    const { clock, told, sentIds, answer, lateCount } = await split(['a', 'b', 'c'])
    await clock.advance(13_000)
    expect(told.toSorted()).toEqual(['a START_UNCLEAR', 'b DATABASE_UNREACHABLE', 'c DATABASE_UNREACHABLE'])
    await answer(2)
    await clock.advance(60_000)
    expect(sentIds()).toEqual(['a'])
    expect(lateCount()).toBe(1)
  })

  it('go on where the store answers and the node is about to go', async () => {
    const { clock, gathered, told, sentIds, answer } = await split(['a', 'b', 'c'])
    gathered.hurry()
    await clock.advance(1)
    expect(told).toEqual([])
    for (const nth of [2, 3, 4]) await answer(nth)
    expect(told).toEqual(['a started', 'b started', 'c started'])
    expect(sentIds()).toEqual(['a', 'b', 'c'])
  })

  it('are withdrawn where the store is away and the node is about to go', async () => {
    const { clock, gathered, told, sentIds, refuse } = await split(['a', 'b', 'c'])
    await refuse(2, 'DATABASE_BUSY')
    gathered.hurry()
    await clock.advance(60_000)
    expect(told.toSorted()).toEqual(['a DATABASE_UNREACHABLE', 'b DATABASE_UNREACHABLE', 'c DATABASE_UNREACHABLE'])
    expect(sentIds()).toEqual(['a'])
  })

  it('share their patience: many do not wait one after another', async () => {
    const ids = Array.from({ length: 150 }, (_, index) => `${index}`)
    const { clock, sent, sentIds, told, refuse } = await split(ids)
    for (let nth = 2; nth < 60 && told.length < ids.length; nth += 1) {
      if (sent[nth] !== undefined) await refuse(nth, 'COMMIT_UNKNOWN')
      await clock.advance(1_000)
    }
    expect(clock.monotonic()).toBeLessThan(15_000)
    expect(told.filter((each) => each.endsWith('DATABASE_UNREACHABLE'))).toHaveLength(149)
    expect(told).toContain('0 START_UNCLEAR')
    expect(new Set(sentIds())).toEqual(new Set(['0']))
  })

  it('come before those that asked meanwhile, which leave together', async () => {
    const { gathered, sentIds, answer } = await split(['a', 'b'])
    for (const id of ['c', 'd']) void gathered.start(start(id))
    for (const nth of [2, 3, 4]) await answer(nth)
    expect(sentIds()).toEqual(['a', 'b', 'c d'])
  })
})
