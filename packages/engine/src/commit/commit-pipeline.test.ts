/** What the pipeline does with starts when the store says nothing at all. In virtual time. */
import { type Deferred, deferred, seededRandom, silentLogger } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import type { CommitBatch, CommitResult, StartItem } from '../store/commit-store.ts'
import { CommitPipeline } from './commit-pipeline.ts'

const startOf = (instanceId: string): StartItem => ({
  ...{ tenant: 't', instanceId, definitionId: 'w', version: 1, correlationId: undefined, dedupeKey: undefined },
  ...{ parentId: undefined, parentStep: undefined, queue: 'default', claimed: true, dueInMs: 0 },
  started: { kind: 'started', data: '{}' },
})

function bed() {
  const clock = virtualClock({})
  const sent: { readonly ids: readonly string[]; readonly answer: Deferred<CommitResult> }[] = []
  const late: string[] = []
  const pipeline = new CommitPipeline({
    ...{ nodeId: 'n', clock, random: seededRandom(1), logger: silentLogger, flights: 1 },
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
  return { clock, sent, late, pipeline, start, told }
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
