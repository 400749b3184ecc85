import type { Json } from '@lockstep/base'
import type { OpenedFact } from '../../journal/fact.ts'
import { beginScope } from '../begin-scope.ts'
import { DEFAULT_OUTCOME } from '../document.ts'
import type { CountedLoop, ForEachState, ForState, ScopeState } from '../graph-state.ts'
import { ownMember } from '../own-member.ts'
import type { StepEnd } from '../step-end.ts'
import type { ContainerRun } from './container-run.ts'
import { indexedPartKey } from './part-keys.ts'

type Loop = ForEachState | ForState

export function forEachState(fact: OpenedFact): ForEachState {
  const { items = [] } = fact
  return { rule: 'for-each', items, ...countedLoop(fact, items.length) }
}

export function forState(fact: OpenedFact): ForState {
  const { range = { start: 0, step: 1, count: 0 } } = fact
  return { rule: 'for', ...range, ...countedLoop(fact, range.count) }
}

function countedLoop({ concurrency = 1, collect }: OpenedFact, turnCount: number): CountedLoop {
  const loop = { concurrency, next: 0, live: 0 }
  return collect === undefined ? loop : { ...loop, collect, results: Array.from({ length: turnCount }, () => null) }
}

const turnCount = (loop: Loop): number => (loop.rule === 'for' ? loop.count : loop.items.length)

export function itemOf(loop: Loop, index: number): Json {
  return loop.rule === 'for' ? loop.start + index * loop.step : loop.items[index]!
}

/** Starts turns up to the concurrency; ends the loop when none is left. */
export function startTurns({ program, state, step, activity, container }: ContainerRun<Loop>): StepEnd | undefined {
  const graph = activity.parts.body!
  const turns = turnCount(container)
  while (container.live < container.concurrency && container.next < turns) {
    const index = container.next++
    if (beginScope(program, state, { graph, key: indexedPartKey(step, index), owner: step, index })) container.live++
  }
  if (container.live > 0) return undefined
  return { kind: 'completed', outcome: DEFAULT_OUTCOME, output: loopOutput(container) }
}

export function turnEnded(run: ContainerRun<Loop>, turn: ScopeState): StepEnd | undefined {
  const { container } = run
  container.live--
  if (container.collect !== undefined && container.results !== undefined) {
    container.results[turn.index ?? 0] = ownMember(turn.steps ?? {}, container.collect)?.output ?? null
  }
  return startTurns(run)
}

export function loopOutput({ next, results }: CountedLoop): { readonly [name: string]: Json } {
  return results === undefined ? { count: next } : { count: next, results }
}
