import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { FactRow, Page } from './wire.ts'

const PAGE = 200
/** Facts that graph and timeline are drawn from: the newest. The journal itself shows all of them, page by page. */
const WINDOW = 2_000

export interface JournalWindow {
  /** Oldest first. */
  readonly facts: readonly FactRow[]
  /** Whether they begin with the first fact of the instance. */
  readonly complete: boolean
}

export const journalPath = (id: string): string => `/workflow-instances/${encodeURIComponent(id)}/journal`

/** The newest facts. What is there stays; only what came since is fetched. */
export const journalQuery = (client: QueryClient, id: string) =>
  queryOptions({
    queryKey: ['instance', id, 'journal'],
    queryFn: async ({ signal }): Promise<JournalWindow> => {
      const known = client.getQueryData<JournalWindow>(['instance', id, 'journal'])
      return known === undefined ? await readNewest(id, signal) : await readOn(id, known, signal)
    },
  })

async function readNewest(id: string, signal: AbortSignal): Promise<JournalWindow> {
  const pages: (readonly FactRow[])[] = []
  let before: string | undefined
  for (let read = 0; read < WINDOW; read += PAGE) {
    const page = await call<Page<FactRow>>('GET', journalPath(id), {
      query: { order: 'desc', limit: PAGE, before },
      signal,
    })
    pages.push(page.items)
    if (page.page.next === null) return { facts: pages.flat().reverse(), complete: true }
    before = page.page.next
  }
  return { facts: pages.flat().reverse(), complete: false }
}

async function readOn(id: string, known: JournalWindow, signal: AbortSignal): Promise<JournalWindow> {
  const added: FactRow[] = []
  let last = known.facts.at(-1)?.seq ?? 0
  for (;;) {
    const page = await call<Page<FactRow>>('GET', journalPath(id), { query: { after: last, limit: PAGE }, signal })
    added.push(...page.items)
    last = added.at(-1)?.seq ?? last
    // Far behind: what lies between is not worth reading.
    if (added.length > WINDOW) return readNewest(id, signal)
    if (page.page.next === null) break
  }
  if (added.length === 0) return known
  const facts = [...known.facts, ...added]
  const cut = facts.length > WINDOW + PAGE
  return { facts: cut ? facts.slice(-WINDOW) : facts, complete: known.complete && !cut }
}
