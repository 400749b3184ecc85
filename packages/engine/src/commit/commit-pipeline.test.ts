/** When flushes leave, and what becomes of starts when the store says nothing, or refuses them. In virtual time. */
import { type Deferred, deferred, seededRandom, silentLogger } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import type { CheckpointItem, CommitBatch, CommitResult, StartItem } from '../store/commit-store.ts'
import { CommitPipeline } from './commit-pipeline.ts'

const startOf = (instanceId: string): StartItem => ({
  ...{ tenant: 't', instanceId, definitionId: 'w', version: 1, correlationId: undefined, dedupeKey: undefined },
  ...{ parentId: undefined, parentStep: undefined, queue: 'default', claimed: true, dueInMs: 0 },
  started: { kind: 'started', data: '{}' },
})

function bed(flights = 1) {
  const clock = virtualClock({})
  const sent: { readonly ids: readonly string[]; readonly answer: Deferred<CommitResult> }[] = []
  const late: string[] = []
  const pipeline = new CommitPipeline({
    ...{ nodeId: 'n', clock, random: seededRandom(1), logger: silentLogger, flights },
    commits: {
      commit: ({ starts }: CommitBatch) => {
        const answer = deferred<CommitResult>()
        sent.push({ ids: starts.map(({ instanceId }) => instanceId), answer })
        return answer.promise
      },
      trim: async () => undefined,
    },
    onFenced: () => undefined,
    onCommit: () => undefined,
    onLateStart: ({ instanceId }) => late.push(instanceId),
  })
  const told: string[] = []
  const start = (id: string): void =>
    void pipeline.start(startOf(id)).then(
      () => told.push(`${id} started`),
      ({ code }) => told.push(`${id} ${code}`),
    )
  const crowd = (ids: readonly string[]): void =>
    void pipeline.startAll(ids.map(startOf)).then(
      () => told.push('all started'),
      ({ code }) => told.push(`all ${code}`),
    )
  /** They leave together. */
  const startTogether = (ids: string): void => [...ids].forEach(start)
  const sentIds = (): string[] => sent.map(({ ids }) => ids.join(''))
  const answer = async (nth: number): Promise<void> => {
    sent[nth]!.answer.resolve(started(sent[nth]!.ids.length))
    await clock.advance(0)
  }
  const refuse = async (nth: number, code: string): Promise<void> => {
    sent[nth]!.answer.reject(Object.assign(new Error('no'), { code, retryable: code === 'DATABASE_BUSY' }))
    await clock.advance(0)
  }
  return { clock, sent, sentIds, late, pipeline, start, startTogether, crowd, answer, refuse, told }
}

const started = (count: number): CommitResult => ({
  ...{ at: 1, woken: 0, repeated: false, checkpoints: [] },
  starts: Array.from({ length: count }, () => ({ kind: 'started', version: 1 })),
})

describe('starts in a pipeline whose store says nothing', () => {
  it('are unclear where they were sent, and withdrawn where they were not', async () => {
    const { clock, sent, late, start, told } = bed()
    start('sent')
    await clock.advance(1)
    start('queued')
    await clock.advance(60_000)
    expect(told.toSorted()).toEqual(['queued DATABASE_UNREACHABLE', 'sent START_UNCLEAR'])
    sent[0]!.answer.resolve(started(1))
    await clock.advance(60_000)
    expect(sent.map(({ ids }) => ids)).toEqual([['sent']])
    expect(late).toEqual(['sent'])
  })

  it('are told when the pipeline closes, sent or not', async () => {
    const { clock, sent, pipeline, start, told } = bed()
    start('sent')
    await clock.advance(1)
    start('queued')
    pipeline.close()
    sent[0]!.answer.reject(Object.assign(new Error('no answer'), { code: 'COMMIT_UNKNOWN' }))
    await clock.advance(1)
    expect(told.toSorted()).toEqual(['queued FENCED', 'sent START_UNCLEAR'])
  })

  it('wait for their turn behind a slow batch while the store answers', async () => {
    const { clock, sent, start, told } = bed()
    start('first')
    await clock.advance(5_000)
    start('second')
    sent[0]!.answer.resolve(started(1))
    await clock.advance(8_000)
    sent[1]!.answer.resolve(started(1))
    await clock.advance(1)
    expect(told).toEqual(['first started', 'second started'])
  })
})

describe('starts of a batch that the store has refused', () => {
  it('are withdrawn with their part while the part before it is not answered', async () => {
    const { clock, sent, sentIds, startTogether, refuse, told } = bed()
    startTogether('abcd')
    await clock.advance(0)
    await refuse(0, 'DATABASE_REFUSED')
    for (let nth = 1; nth < 40 && told.length < 4; nth += 1) {
      if (sent[nth] !== undefined) await refuse(nth, 'COMMIT_UNKNOWN')
      await clock.advance(1_000)
    }
    expect(told.toSorted()).toEqual([
      'a START_UNCLEAR',
      'b START_UNCLEAR',
      'c DATABASE_UNREACHABLE',
      'd DATABASE_UNREACHABLE',
    ])
    await clock.advance(600_000)
    expect(new Set(sentIds())).toEqual(new Set(['abcd', 'ab']))
  })

  it('are withdrawn where the part before it does not even fail', async () => {
    const { clock, sentIds, startTogether, answer, refuse, told, late } = bed()
    startTogether('abcd')
    await clock.advance(0)
    await refuse(0, 'DATABASE_REFUSED')
    await clock.advance(13_000)
    expect(told.toSorted()).toEqual([
      'a START_UNCLEAR',
      'b START_UNCLEAR',
      'c DATABASE_UNREACHABLE',
      'd DATABASE_UNREACHABLE',
    ])
    await answer(1)
    await clock.advance(60_000)
    expect(sentIds()).toEqual(['abcd', 'ab'])
    expect(late).toEqual(['a', 'b'])
  })

  it('are withdrawn when the node is about to go and their turn does not come', async () => {
    const { clock, sentIds, startTogether, refuse, pipeline, told } = bed()
    startTogether('abcd')
    await clock.advance(0)
    await refuse(0, 'DATABASE_REFUSED')
    await refuse(1, 'DATABASE_BUSY')
    pipeline.hurry()
    await clock.advance(60_000)
    expect(told.toSorted()).toEqual(['a', 'b', 'c', 'd'].map((id) => `${id} DATABASE_UNREACHABLE`))
    expect(sentIds()).toEqual(['abcd', 'ab'])
  })

  it('are told when the pipeline closes before their turn', async () => {
    const { clock, sentIds, startTogether, answer, refuse, pipeline, told } = bed()
    startTogether('abcd')
    await clock.advance(0)
    await refuse(0, 'DATABASE_REFUSED')
    pipeline.close()
    await clock.advance(0)
    expect(told).toEqual(['c FENCED', 'd FENCED'])
    await answer(1)
    expect(told.slice(2)).toEqual(['a started', 'b started'])
    expect(sentIds()).toEqual(['abcd', 'ab'])
  })

  it('do not take checkpoints with them', async () => {
    const { clock, sent, start, refuse, pipeline, told } = bed()
    const settled: string[] = []
    const item = { instanceId: 'i' } as CheckpointItem
    start('a')
    pipeline.mark({
      ...{ urgent: false, take: () => item, fail: () => settled.push('failed') },
      settle: ({ kind }) => settled.push(kind),
    })
    await clock.advance(0)
    await refuse(0, 'DATABASE_REFUSED')
    await refuse(1, 'DATABASE_BUSY')
    pipeline.hurry()
    await clock.advance(1_000)
    expect(told).toEqual(['a DATABASE_UNREACHABLE'])
    sent[2]!.answer.resolve({ ...started(0), checkpoints: [{ kind: 'written' }] })
    await clock.advance(0)
    expect(settled).toEqual(['written'])
  })
})

describe('a crowd of starts', () => {
  it('is unclear where some are written and the others are refused with the node', async () => {
    const { clock, sent, crowd, start, answer, pipeline, told } = bed()
    start('first')
    await clock.advance(0)
    crowd(Array.from({ length: 501 }, (_, index) => `${index}`))
    await answer(0)
    expect(sent[1]!.ids).toHaveLength(500)
    pipeline.close()
    await answer(1)
    expect(told).toEqual(['first started', 'all START_UNCLEAR'])
  })

  it('is refused with the node where none of them was sent', async () => {
    const { clock, crowd, start, pipeline, told } = bed()
    start('first')
    await clock.advance(0)
    crowd(['a', 'b'])
    pipeline.close()
    await clock.advance(0)
    expect(told).toEqual(['all FENCED'])
  })

  it('is looked for where it is written after its caller was answered', async () => {
    const { clock, crowd, answer, late, told } = bed()
    crowd(['a', 'b'])
    await clock.advance(60_000)
    expect(told).toEqual(['all START_UNCLEAR'])
    await answer(0)
    expect(late).toEqual(['a', 'b'])
  })
})

describe('a flush beside another', () => {
  it('waits with few items until the one under way is back', async () => {
    const { clock, sentIds, start, startTogether, answer } = bed(2)
    start('a')
    await clock.advance(1)
    startTogether('bcd')
    await clock.advance(20)
    expect(sentIds()).toEqual(['a'])
    await answer(0)
    expect(sentIds()).toEqual(['a', 'bcd'])
  })

  it('leaves at once with many', async () => {
    const { clock, sent, start } = bed(2)
    start('a')
    await clock.advance(1)
    for (let nth = 0; nth < 96; nth += 1) start(`${nth}`)
    await clock.advance(1)
    expect(sent).toHaveLength(1)
    start('one more')
    await clock.advance(0)
    expect(sent.map(({ ids }) => ids.length)).toEqual([1, 97])
  })

  it('is not held up by one that does not come back', async () => {
    const { clock, sentIds, start, startTogether, answer, told } = bed(2)
    start('a')
    await clock.advance(1)
    startTogether('bc')
    await clock.advance(28)
    expect(sentIds()).toEqual(['a'])
    await clock.advance(1)
    expect(sentIds()).toEqual(['a', 'bc'])
    await answer(1)
    expect(told).toEqual(['b started', 'c started'])
    start('d') // who comes later does not pay for it again
    await clock.advance(0)
    expect(sentIds()).toEqual(['a', 'bc', 'd'])
  })
})
