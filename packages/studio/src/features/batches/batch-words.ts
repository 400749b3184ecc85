import type { BatchOperation } from '../../api/wire.ts'
import { sentence } from '../../ui/sentence.ts'

type State = BatchOperation['state']

export const stateLooks: Readonly<Record<State, { readonly label: string; readonly tone: string }>> = {
  freezing: { label: 'Listing', tone: 'queued' },
  applying: { label: 'Under way', tone: 'running' },
  paused: { label: 'Paused', tone: 'paused' },
  done: { label: 'Done', tone: 'completed' },
  cancelled: { label: 'Stopped', tone: 'ended' },
}

export const isOver = (state: State | undefined): boolean => state === 'done' || state === 'cancelled'

const words: Readonly<Record<string, string>> = {
  accepted: 'Done',
  'already-requested': 'Asked for before',
  deleted: 'Deleted',
  held: 'Held',
  'wrong-state': 'Left as it is',
  'not-found': 'Gone',
}

export const outcomeText = (outcome: string): string => words[outcome] ?? sentence(outcome).replaceAll('-', ' ')

/** Those that have it need nothing more, or cannot be helped. */
const SETTLED: ReadonlySet<string> = new Set(['accepted', 'already-requested', 'deleted', 'not-found'])

/** Whether the same may be tried again with an instance. null: it was not its turn before the batch was stopped. */
export const isLeft = (outcome: string | null): boolean => outcome === null || !SETTLED.has(outcome)

/** How many of a batch that is over were left. */
export function leftCount({ total, done, outcomes }: Pick<BatchOperation, 'total' | 'done' | 'outcomes'>): number {
  const refused = Object.entries(outcomes).filter(([outcome]) => isLeft(outcome))
  return total - done + refused.reduce((sum, [, count]) => sum + count, 0)
}
