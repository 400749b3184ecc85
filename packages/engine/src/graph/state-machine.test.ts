import { seededRandom } from '@lockstep/base'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drive } from './fixtures/toy-driver.fixture.ts'
import { toyDocument } from './fixtures/toy-shell.fixture.ts'
import { isFinished } from './verdict.ts'

const OUTCOMES = ['done', 'left', 'right']

/** Any graph in which an outcome leads to at most one step is a state machine: one token walks it, whatever the joins say. */
const machines = fc.record({
  joins: fc.array(fc.constantFrom('all' as const, 'any' as const), { minLength: 2, maxLength: 8, size: 'max' }),
  moves: fc.array(fc.tuple(fc.nat(50), fc.constantFrom(...OUTCOMES), fc.nat(50)), { maxLength: 20, size: 'max' }),
})

describe('a state machine', () => {
  it('is walked step by step, each visit numbered', () => {
    fc.assert(
      fc.property(machines, fc.integer(), ({ joins, moves }, seed) => {
        const table = new Map<string, number>()
        // Nothing leads to the first step, so that it is the start; what is not reachable from it is left out below.
        for (const [from, outcome, to] of moves)
          table.set(`${from % joins.length} ${outcome}`, 1 + (to % (joins.length - 1)))
        const reached = new Set([0])
        for (const at of reached)
          for (const outcome of OUTCOMES) if (table.has(`${at} ${outcome}`)) reached.add(table.get(`${at} ${outcome}`)!)
        const document = toyDocument(
          [...reached].map((at) => ({ id: `n${at}`, type: 'task', join: joins[at]! })),
          [...table]
            .filter(([key]) => reached.has(Number(key.split(' ')[0])))
            .map(([key, to]) => `n${key.split(' ')[0]} -${key.split(' ')[1]}-> n${to}`),
        )
        const { state, start, done } = drive(document)
        const random = seededRandom(seed)
        const visits = new Map<number, number>()
        let ready = start()
        let at: number | undefined = 0
        for (let turn = 0; turn < 100 && at !== undefined; turn++) {
          const visit = (visits.get(at) ?? 0) + 1
          visits.set(at, visit)
          const key = visit === 1 ? `n${at}` : `n${at}#${visit}`
          expect(ready).toEqual([key])
          const outcome = OUTCOMES[Math.floor(random.next() * OUTCOMES.length)]!
          ready = done(key, outcome)
          at = table.get(`${at} ${outcome}`)
        }
        expect(isFinished(state)).toBe(at === undefined)
      }),
      { numRuns: 500 },
    )
  })
})
