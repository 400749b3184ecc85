import { type RefObject, useEffect, useRef, useState } from 'react'
import type { Page } from '../api/wire.ts'
import { useUrlSearch } from '../app/use-url-search.ts'
import { Area } from './area.tsx'
import { Pager } from './pager.tsx'
import table from './table.module.css'

export interface Column {
  readonly label: string
  readonly right?: boolean
  /** In the place of the label, such as a box that ticks all rows. */
  readonly tick?: React.ReactNode
}

export interface ListProps<T> {
  /** Names its states for tests. */
  readonly name: string
  /** One of what is listed. */
  readonly noun: string
  readonly plural?: string
  readonly query: {
    readonly data: Page<T> | undefined
    readonly error: unknown
    readonly isFetching: boolean
    refetch(): unknown
  }
  readonly columns: readonly (string | Column)[]
  readonly row: (item: T) => React.ReactNode
  readonly empty: React.ReactNode
  readonly rows?: number
  /** Where the cursor stands in the address, where a page has several lists. */
  readonly cursor?: string
}

/** A table of one page of a list, and the way to the others. The cursor is part of the address. */
export function List<T>({ columns, row, noun, plural, cursor = 'cursor', ...area }: ListProps<T>) {
  const [, change] = useUrlSearch()
  return (
    <Area {...area} isEmpty={({ items, page }) => items.length === 0 && page.next === null}>
      {(page) => (
        <>
          <Table columns={columns}>{page.items.map(row)}</Table>
          <Pager
            page={page}
            noun={noun}
            {...(plural === undefined ? {} : { plural })}
            go={(at) => change({ [cursor]: at })}
          />
        </>
      )}
    </Area>
  )
}

export function Table(props: { readonly columns: readonly (string | Column)[]; readonly children: React.ReactNode }) {
  const wrap = useRef<HTMLDivElement>(null)
  const isWide = useIsWide(wrap)
  return (
    // A table wider than its place is moved by the keyboard as well, where nothing in it could be reached.
    <div ref={wrap} className={table.wrap} {...(isWide ? { tabIndex: 0, role: 'region', 'aria-label': 'Table' } : {})}>
      <table className={table.table}>
        <thead>
          <tr>
            {props.columns.map((column) => {
              const { label, right = false, tick } = typeof column === 'string' ? { label: column } : column
              return (
                <th key={label} className={tick !== undefined ? table.tick : right ? table.right : undefined}>
                  {tick ?? label}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>{props.children}</tbody>
      </table>
    </div>
  )
}

function useIsWide(wrap: RefObject<HTMLDivElement | null>): boolean {
  const [isWide, setIsWide] = useState(false)
  useEffect(() => {
    const element = wrap.current
    if (element === null) return
    const look = (): void => setIsWide(element.scrollWidth > element.clientWidth)
    const watch = new ResizeObserver(look)
    watch.observe(element)
    if (element.firstElementChild !== null) watch.observe(element.firstElementChild)
    return () => watch.disconnect()
  }, [wrap])
  return isWide
}
