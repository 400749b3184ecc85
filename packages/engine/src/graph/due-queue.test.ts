import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drive } from './fixtures/toy-driver.fixture.ts'
import { toyDocument } from './fixtures/toy-shell.fixture.ts'
import type { GraphState, OpenWait } from './graph-state.ts'
import { handOutAgain, resetReady, takeDueRetries } from './ready.ts'
import { dueRetries, dueWaits, nextDueAt, openWait, stamp } from './waits.ts'

type Move =
  | { readonly kind: 'open'; readonly ms: number; readonly retry: boolean; readonly at: boolean }
  | { readonly kind: 'end' | 'again'; readonly pick: number }
  | { readonly kind: 'stamp' | 'retries' | 'restore' }

const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('open' as const), ms: fc.nat(30), retry: fc.boolean(), at: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('end' as const, 'again' as const), pick: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('stamp' as const, 'retries' as const, 'restore' as const) }),
  },
)

const inOrder = (a: OpenWait, b: OpenWait): number => a.dueAt! - b.dueAt! || a.seq - b.seq

describe('waits, many or few', () => {
  it('fall due in the order in which looking at all of them finds them', () => {
    const program = drive(toyDocument(['a'])).program
    fc.assert(
      fc.property(fc.array(moves, { maxLength: 120, size: 'max' }), (made) => {
        const driver = drive(toyDocument(['a']))
        driver.start()
        const { state } = driver
        let now = 1_000
        for (const move of made) {
          now += 1
          apply(program, state, move, now)
          const open = Object.values(state.waits).filter((each) => each.taken === undefined && each.dueAt !== undefined)
          open.sort(inOrder)
          expect(nextDueAt(state)).toBe(open[0]?.dueAt)
          const due = open.filter(({ dueAt }) => dueAt! <= now)
          expect(dueWaits(state, now)).toEqual(due)
          expect(dueRetries(state, now)).toEqual(due.filter(({ wait }) => wait.kind === 'retry'))
        }
      }),
      { numRuns: 60 },
    )
  })
})

function apply(program: ReturnType<typeof drive>['program'], state: GraphState, move: Move, now: number): void {
  const steps = Object.keys(state.waits)
  switch (move.kind) {
    case 'open': {
      state.seq++
      const step = `s${state.seq}`
      state.executions[step] = { activity: 'a', scope: '', phase: 'waiting', attempt: 1 }
      openWait(state, step, { kind: move.retry ? 'retry' : 'timeout', ms: move.ms }, move.at ? now : undefined)
      return
    }
    case 'end':
      if (steps.length > 0) delete state.waits[steps[move.pick % steps.length]!]
      return
    case 'again':
      if (steps.length > 0) handOutAgain(state, steps[move.pick % steps.length]!)
      return
    case 'stamp':
      stamp(state, now)
      return
    case 'retries':
      takeDueRetries(program, state, now)
      return
    case 'restore':
      resetReady(program, state)
  }
}
