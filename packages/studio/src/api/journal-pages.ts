import type { FactRow, Page } from './wire.ts'

export const PAGE = 200
/** Facts that the timeline is drawn from at first, the newest, and so many more each time that somebody asks. */
export const STRETCH = 2_000
/** As many as are ever drawn. The journal itself shows all of them, page by page. */
export const MOST_DRAWN = 20_000

export interface JournalWindow {
  /** Oldest first. */
  readonly facts: readonly FactRow[]
  /** Whether they begin with the first fact of the instance. */
  readonly complete: boolean
  /** How many are wanted. */
  readonly room: number
}

export interface PageQuery {
  readonly order?: 'asc' | 'desc'
  readonly after?: number | string
  readonly before?: number | string
  readonly limit: number
}

export type ReadPage = (query: PageQuery) => Promise<Page<FactRow>>

/** All that it will hold until more happens, or more is wanted. */
export const isSettled = ({ facts, complete, room }: JournalWindow): boolean => complete || facts.length >= room

/** Reads on from what is known, first to the newest fact, then back. `tell` gets every state that is worth showing. */
export async function readWindow(
  read: ReadPage,
  known: JournalWindow | undefined,
  tell: (sofar: JournalWindow) => void,
): Promise<JournalWindow> {
  const room = known?.room ?? STRETCH
  let window = known === undefined ? undefined : await readOn(read, known)
  while (window === undefined || !isSettled(window)) {
    const first: number | undefined = window?.facts[0]?.seq
    const older = await read({ order: 'desc', limit: PAGE, ...(first === undefined ? {} : { before: first }) })
    window = {
      facts: [...older.items.toReversed(), ...(window?.facts ?? [])],
      complete: older.page.next === null,
      room,
    }
    tell(window)
  }
  return window
}

/** `undefined`: far behind, what lies between is not worth reading. */
async function readOn(read: ReadPage, known: JournalWindow): Promise<JournalWindow | undefined> {
  const { room } = known
  const added: FactRow[] = []
  let last = known.facts.at(-1)?.seq ?? 0
  for (;;) {
    const page = await read({ after: last, limit: PAGE })
    added.push(...page.items)
    last = added.at(-1)?.seq ?? last
    if (added.length > room) return undefined
    if (page.page.next === null) break
  }
  if (added.length === 0) return known
  const facts = [...known.facts, ...added]
  const cut = facts.length > room + PAGE
  return { facts: cut ? facts.slice(-room) : facts, complete: known.complete && !cut, room }
}

/** Every fact, oldest first. */
export async function wholeJournal(
  read: ReadPage,
  tell: (count: number) => void = () => {},
): Promise<readonly FactRow[]> {
  const facts: FactRow[] = []
  for (;;) {
    const { items, page } = await read({ after: facts.at(-1)?.seq ?? 0, limit: PAGE })
    facts.push(...items)
    tell(facts.length)
    if (page.next === null || items.length === 0) return facts
  }
}
