import { toWireId } from '@lockstep/base'
import type { InstanceView, WaitState } from '@lockstep/engine'
import Type from 'typebox'
import { iso } from './iso.ts'
import { instant, nullable } from './schema.ts'

export const WaitingFor = Type.Object({
  bookmarkId: nullable('string', {
    description:
      'bkm_ and a uuid; resume takes it. null: nothing from outside ends this wait, as of timers, retries, children and locks.',
  }),
  kind: Type.String({ description: 'event, signal, task, human; timer, retry, child, children, lock.' }),
  name: Type.String({
    description: 'Resume takes it too; the event of a wait-for-event. Of a wait that has no name: its step.',
  }),
  dueAt: Type.Optional(instant('When a timer or a retry moves.')),
  expiresAt: Type.Optional(instant('When it is given up.')),
})

/** Waits that a bookmark stands for; the others are known from the journal alone. */
const BOOKMARKED: ReadonlySet<string> = new Set(['event', 'signal', 'task', 'human'])
/** They end with their time; the others are given up then. */
const TIMED: ReadonlySet<string> = new Set(['timer', 'retry'])
/** As many as the store shows of bookmarks. */
const MOST_SHOWN = 1_000

/** What the store says of bookmarks, with the times that the journal says of them, and what else is waited for. */
export function toWireWaits(marks: InstanceView['waitingFor'], waits: readonly WaitState[]) {
  const until = new Map(waits.map((wait) => [keyOf(wait), wait.dueAt]))
  const marked = marks.map(({ bookmarkId, kind, name, expiresAt }) => ({
    bookmarkId: toWireId('bookmark', bookmarkId),
    ...{ kind, name },
    ...told('expiresAt', earlier(expiresAt, until.get(keyOf({ kind, name })))),
  }))
  const unmarked = waits
    .filter(({ kind }) => !BOOKMARKED.has(kind))
    .slice(0, MOST_SHOWN)
    .map(({ kind, name, step, dueAt }) => ({
      bookmarkId: null,
      ...{ kind, name: name ?? step },
      ...told(TIMED.has(kind) ? 'dueAt' : 'expiresAt', dueAt),
    }))
  return [...marked, ...unmarked]
}

/** An instance waits for the same only once. */
const keyOf = ({ kind, name }: { readonly kind: string; readonly name: string | undefined }) => `${kind}\n${name}`

const earlier = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)

const told = (name: 'dueAt' | 'expiresAt', at: number | undefined) => (at === undefined ? {} : { [name]: iso(at) })
