import { describe, expect, it } from 'vitest'
import { flowBlocker } from './flow-blocker.ts'
import type { FlowStanding } from './flow-store.ts'

const standing = (extra: Partial<FlowStanding>): FlowStanding => ({
  ...{ state: 'waiting', blocked: undefined, key: '', ahead: 0, priority: 0, since: 0, movesAt: undefined, size: 0 },
  policy: { concurrency: { limit: 3 }, rate: { limit: 5, per: '1m' }, batch: { size: 9 } },
  ...extra,
})

describe('why a start waits', () => {
  it.each([
    [{ blocked: 'concurrency', ahead: 2 }, 'flow-concurrency', '3 instance(s) may be alive at once, and 2 go first'],
    [
      { blocked: 'singleton', key: 'a' },
      'flow-singleton',
      'One instance of key "a" may be alive at a time, and it is the next',
    ],
    [{ blocked: 'rate', movesAt: 7 }, 'flow-rate', '5 start(s) may begin per 1m, and it is the next'],
    [{ state: 'gathering', size: 4 }, 'flow-batch', 'It gathers inputs: 4 of 9 have come'],
    [
      { state: 'gathering', policy: { debounce: { wait: '2s' } } },
      'flow-debounce',
      'It waits for calm: 2s without a further start',
    ],
    [{}, 'flow-turn', 'Nothing is in its way any more; it is the next'],
  ] as const)('%j', (extra, kind, text) => {
    expect(flowBlocker(standing(extra as Partial<FlowStanding>))).toMatchObject({ kind, text })
  })

  it('says until when a rate holds back', () => {
    expect(flowBlocker(standing({ blocked: 'rate', movesAt: 7 })).untilAt).toBe(7)
  })
})
