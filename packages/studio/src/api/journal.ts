import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import { type JournalWindow, MOST_DRAWN, PAGE, type ReadPage, readWindow } from './journal-pages.ts'
import type { FactRow, Page } from './wire.ts'

export const journalPages =
  (id: string, signal?: AbortSignal): ReadPage =>
  (query) =>
    call<Page<FactRow>>('GET', `/workflow-instances/${encodeURIComponent(id)}/journal`, {
      query: { ...query },
      ...(signal === undefined ? {} : { signal }),
    })

/** The newest facts: there with the first page, and longer with each that follows. What is there stays; only what came since is fetched. */
export const journalQuery = (client: QueryClient, id: string) => {
  const queryKey = ['instance', id, 'journal']
  return queryOptions({
    queryKey,
    queryFn: ({ signal }): Promise<JournalWindow> =>
      readWindow(journalPages(id, signal), client.getQueryData<JournalWindow>(queryKey), (sofar) => {
        if (!signal.aborted) client.setQueryData(queryKey, sofar)
      }),
  })
}

/** So many facts more are wanted of a journal, from its end. They are read when it is read next. */
export function wantMore(client: QueryClient, id: string, more: number): void {
  client.setQueryData<JournalWindow>(
    journalQuery(client, id).queryKey,
    (before) => before && { ...before, room: Math.min(MOST_DRAWN, before.facts.length + more) },
  )
}

/** Facts before and around one that lies behind the window: two pages, the same ones for all moments near it. They never change. */
export const journalAroundQuery = (id: string, at: number) => {
  const to = Math.ceil(at / PAGE)
  const from = Math.max(0, to - 2) * PAGE
  return queryOptions({
    queryKey: ['journal-around', id, to],
    queryFn: async ({ signal }): Promise<JournalWindow> => {
      const read = journalPages(id, signal)
      const pages = [await read({ after: from, limit: PAGE })]
      if (to > 1) pages.push(await read({ after: from + PAGE, limit: PAGE }))
      return { facts: pages.flatMap(({ items }) => items), complete: from === 0, room: 2 * PAGE }
    },
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })
}
