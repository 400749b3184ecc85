import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

type Search = Readonly<Record<string, string | undefined>>

/** The state of a page that lives in its address: reloading it, or sending it to somebody, shows the same. */
export function useUrlSearch(): readonly [Search, (changes: Search, replace?: boolean) => void] {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const change = useCallback(
    (changes: Search, replace = false) =>
      void navigate({
        to: '.',
        replace,
        resetScroll: false,
        search: ((before: Search) => ({ ...before, ...changes })) as never,
      }),
    [navigate],
  )
  return [search, change]
}
