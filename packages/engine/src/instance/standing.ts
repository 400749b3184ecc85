/** What an instance has in hand and waits for after its last fact: its snapshot, and the facts since. */
import type { Json } from '@lockstep/base'
import type { Program } from '../definition/programs.ts'
import { FunctionMemo } from '../function/function-memo.ts'
import { foldJournal } from '../graph/fold-journal.ts'
import { openWaits } from '../graph/waits.ts'
import { factFromRow } from '../journal/fact.ts'
import type { LoadedInstance } from '../store/agenda-store.ts'

export interface WaitState {
  readonly step: string
  readonly kind: string
  readonly name: string | undefined
  /** Number of the fact that opened it. */
  readonly seq: number
  /** Epoch milliseconds. Of a wait for something: when it gives up. */
  readonly dueAt: number | undefined
}

export interface Standing {
  /** `undefined`: functions have none that the journal knows. */
  readonly variables: Readonly<Record<string, Json>> | undefined
  readonly waits: readonly WaitState[]
}

/** Without a program it is read as a function: what those did is in their facts, and their code need not be on this node. */
export function standingOf(
  program: Program | undefined,
  { snapshot, snapshotAt, facts }: Pick<LoadedInstance, 'snapshot' | 'snapshotAt' | 'facts'>,
): Standing {
  if (program?.kind === 'graph') {
    const last = snapshotAt === undefined ? undefined : { state: snapshot, at: snapshotAt }
    const state = foldJournal(program.graph, last, facts)
    return { variables: state.variables, waits: openWaits(state).map(toWaitState) }
  }
  const memo = new FunctionMemo()
  for (const row of facts) memo.fold(factFromRow(row), row.at)
  return { variables: undefined, waits: waitsOf(memo) }
}

export const waitsOf = (memo: FunctionMemo): readonly WaitState[] =>
  [...memo.waits].map(([step, { wait, seq, dueAt }]) => toWaitState({ step, seq, dueAt, wait }))

export function toWaitState(opened: {
  readonly step: string
  readonly seq: number
  readonly wait: { readonly kind: string; readonly name?: string }
  readonly dueAt?: number | undefined
}): WaitState {
  const { step, seq, wait, dueAt } = opened
  return { step, kind: wait.kind, name: wait.name, seq, dueAt }
}
