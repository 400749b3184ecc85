import { describe, expect, it } from 'vitest'
import { checkHistory } from './check-history.ts'
import { readStints, type Stint, type Write } from './history.ts'

function stint(worker: string, fence: bigint, from: bigint, to: bigint, extra: Partial<Stint> = {}): Stint {
  return { worker, fence, askedAt: from - 1n, startedAt: from, trusted: [from], endedAt: to, ...extra }
}

const write = (fence: bigint, accepted = true): Write => ({ worker: 'w', fence, accepted })
const rules = (stints: Stint[], writes: Write[] = [], options = {}): string[] =>
  checkHistory(stints, writes, options).map((each) => each.rule)

describe('the history checker', () => {
  it('finds nothing in a good history', () => {
    const good = [stint('a', 1n, 10n, 20n), stint('b', 2n, 30n, 40n), stint('a', 5n, 50n, 60n)]
    expect(rules(good, [write(1n), write(1n), write(2n), write(1n, false), write(5n)])).toEqual([])
  })

  it('finds a fence that was granted twice', () => {
    expect(rules([stint('a', 1n, 10n, 20n), stint('b', 1n, 30n, 40n)])).toContain('a fence is granted once')
  })

  it('finds a fence that went back, also over several others', () => {
    const back = [stint('a', 7n, 10n, 20n), stint('b', 9n, 30n, 40n), stint('c', 8n, 50n, 60n)]
    expect(rules(back)).toEqual(expect.arrayContaining(['fences rise']))
  })

  it('does not mind the order of those who asked at the same time', () => {
    const both = [stint('b', 2n, 10n, 20n, { askedAt: 1n }), stint('a', 1n, 12n, 20n, { askedAt: 2n, trusted: [] })]
    expect(rules(both)).toEqual([])
  })

  it('finds a late write that the resource took', () => {
    expect(rules([], [write(1n), write(2n), write(1n)])).toEqual(['the resource takes no earlier fence'])
    expect(rules([], [write(1n), write(2n), write(1n, false)])).toEqual([])
  })

  it('finds trust in a lease that another had', () => {
    const early = stint('a', 1n, 10n, 60n, { trusted: [10n, 35n] })
    const later = stint('b', 2n, 30n, 40n)
    const last = stint('c', 3n, 50n, 55n)
    expect(rules([early, later, last])).toEqual(['nobody trusts a lease that another has'])
    expect(rules([early, later, last], [], { storeForgets: true })).toEqual([])
    expect(rules([{ ...early, trusted: [10n], signalAt: 25n }, later, last])).toEqual([])
  })

  it('reads what a killed process left, up to its last whole line', () => {
    const log = [
      { worker: 'a', fence: '7', event: 'started', at: '10', askedAt: '5' },
      { worker: 'a', fence: '7', event: 'trusted', at: '11' },
      { worker: 'a', fence: '7', event: 'signal', at: '12' },
    ]
    const text = `${log.map((line) => JSON.stringify(line)).join('\n')}\n{"worker":"a","fen`
    expect(readStints(text)).toEqual([
      { worker: 'a', fence: 7n, askedAt: 5n, startedAt: 10n, trusted: [11n], signalAt: 12n },
    ])
  })
})
