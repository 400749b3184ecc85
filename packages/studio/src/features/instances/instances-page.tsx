import { ActionIcon, Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ArrowUp, PanelRight } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { definitionsQuery, instancesQuery } from '../../api/queries.ts'
import { serverNow } from '../../api/server-time.ts'
import type { Instance, Page as PageOf } from '../../api/wire.ts'
import { listenKeys } from '../../app/keys.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { StatusChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { Took, When } from '../../ui/time.tsx'
import { shortId } from '../../ui/time-text.ts'
import { BulkBar } from './bulk-bar.tsx'
import { columnLabel, columnsOf, columnValue } from './columns.ts'
import { useDensity } from './density.ts'
import { FilterBar } from './filter-bar.tsx'
import { termsOf } from './filter-terms.ts'
import classes from './instances.module.css'
import { mergeRows } from './merge-rows.ts'
import { NoInstances } from './no-instances.tsx'
import { nowText } from './now-text.ts'
import { PeekPanel } from './peek-panel.tsx'
import { StartButton } from './start-dialog.tsx'

const PAGE = 50
/** As many as one answer has. */
const MOST = 200

export function InstancesPage() {
  const [search, change] = useUrlSearch()
  const filter = Object.fromEntries(termsOf(search))
  const isSlowest = search.order === 'duration'
  const query = useQuery({
    ...instancesQuery({
      ...filter,
      ...(search.order === 'oldest' ? { sort: 'createdAt' } : {}),
      limit: isSlowest ? MOST : PAGE,
      cursor: search.cursor,
    }),
    refetchInterval: usePollMs(2_500),
  })
  return (
    <Page
      title="Instances"
      lead={
        isSlowest
          ? `The longest first, of the newest ${MOST} that fit on each page`
          : `Every run of every workflow, ${search.order === 'oldest' ? 'oldest' : 'newest'} first`
      }
      actions={<StartButton />}
    >
      <FilterBar />
      <Card flush>
        <Area
          name="instances"
          query={query}
          rows={12}
          isEmpty={({ items, page }) => items.length === 0 && page.next === null}
          empty={<NoInstances />}
        >
          {(page) => (
            <InstanceTable
              page={isSlowest ? { ...page, items: slowestFirst(page.items, serverNow()) } : page}
              filter={filter}
              key={JSON.stringify([filter, search.order, search.cursor])}
            />
          )}
        </Area>
      </Card>
      {search.peek !== undefined && (
        <PeekPanel instanceId={search.peek} close={() => change({ peek: undefined }, true)} />
      )}
    </Page>
  )
}

/** Not of all there are: the server lists by time. */
const slowestFirst = (rows: readonly Instance[], now: number): readonly Instance[] => {
  const took = ({ createdAt, finishedAt }: Instance): number =>
    (finishedAt === null ? now : Date.parse(finishedAt)) - Date.parse(createdAt)
  return [...rows].sort((a, b) => took(b) - took(a))
}

interface TableProps {
  readonly page: PageOf<Instance>
  readonly filter: Readonly<Record<string, string>>
}

function InstanceTable({ page, filter }: TableProps) {
  const [search, change] = useUrlSearch()
  const columns = columnsOf(search.columns)
  const [density] = useDensity()
  const { data: definitions } = useQuery(definitionsQuery({ limit: 200 }))
  const names = useMemo(() => new Map(definitions?.items.map(({ id, name }) => [id, name])), [definitions])
  const navigate = useNavigate()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  // When all that match were chosen: what comes later is not among them.
  const [allAt, setAllAt] = useState<number>()
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set())
  const [hovered, setHovered] = useState(false)
  const [current, setCurrent] = useState(-1)
  const shown = useRef<readonly Instance[]>(undefined)
  const body = useRef<HTMLTableSectionElement>(null)
  const scrolled = (body.current?.closest('main')?.scrollTop ?? 0) > 120
  const { rows, waiting } = mergeRows(shown.current, page.items, hovered || scrolled || selected.size > 0)
  shown.current = rows

  const isSelected = (id: string): boolean => (allAt === undefined ? selected.has(id) : !excluded.has(id))
  const toggle = (id: string): void => {
    const next = new Set(allAt === undefined ? selected : excluded)
    if (!next.delete(id)) next.add(id)
    if (allAt === undefined) setSelected(next)
    else setExcluded(next)
  }
  const select = (ids: readonly string[]): void => {
    setAllAt(undefined)
    setExcluded(new Set())
    setSelected(new Set(ids))
  }
  const peek = (id: string): void => change({ peek: id }, true)
  const keys = useRef({ rows, current, toggle, select, peek })
  keys.current = { rows, current, toggle, select, peek }
  useEffect(() => {
    const move = (by: number): void => {
      const { rows: all, current: from } = keys.current
      const to = Math.max(0, Math.min(all.length - 1, from + by))
      setCurrent(to)
      body.current?.rows[to]?.scrollIntoView({ block: 'nearest' })
    }
    return listenKeys({
      go: {},
      keys: {
        j: () => move(1),
        k: () => move(-1),
        x: () => {
          const row = keys.current.rows[keys.current.current]
          if (row !== undefined) keys.current.toggle(row.id)
        },
        p: () => {
          const row = keys.current.rows[keys.current.current]
          if (row !== undefined) keys.current.peek(row.id)
        },
        Enter: (event) => {
          const row = keys.current.rows[keys.current.current]
          if (row === undefined || event.target !== document.body) return
          void navigate({ to: '/instances/$instanceId', params: { instanceId: row.id } })
        },
        Escape: () => keys.current.select([]),
      },
    })
  }, [navigate])

  const whole = rows.length > 0 && rows.every(({ id }) => isSelected(id))
  const selection = useMemo(() => [...selected], [selected])
  const left = useMemo(() => [...excluded], [excluded])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer only keeps rows from moving
    <div
      onMouseEnter={() => setHovered(true)}
      onMouseLeave={() => setHovered(false)}
      className={classes.list}
      data-density={density}
    >
      {selected.size > 0 && (
        <BulkBar
          ids={selection}
          filter={filter}
          allAt={allAt}
          excluded={left}
          selectAll={() => setAllAt(Math.floor(serverNow()))}
          canSelectAll={whole && page.page.next !== null}
          clear={() => select([])}
        />
      )}
      {waiting > 0 && (
        <button
          type="button"
          className={classes.pill}
          onClick={() => {
            shown.current = undefined
            select([])
            setHovered(false)
            body.current?.closest('main')?.scrollTo({ top: 0 })
          }}
        >
          <ArrowUp size={13} aria-hidden /> {waiting} new
        </button>
      )}
      <div className={table.wrap}>
        <table className={table.table}>
          <thead>
            <tr>
              <th className={table.tick}>
                <Checkbox
                  size="xs"
                  aria-label="Select this page"
                  checked={whole}
                  indeterminate={!whole && selected.size > 0}
                  onChange={() => select(whole ? [] : rows.map(({ id }) => id))}
                />
              </th>
              <th>Status</th>
              <th>Instance</th>
              <th>Workflow</th>
              <th>Correlation</th>
              <th>Now</th>
              {columns.map((column) => (
                <th key={column}>{columnLabel(column)}</th>
              ))}
              <th>Started</th>
              <th className={table.right}>Duration</th>
              <th className={table.tick}>
                <span className="visually-hidden">Peek</span>
              </th>
            </tr>
          </thead>
          <tbody ref={body}>
            {rows.map((row, index) => (
              <tr
                key={row.id}
                data-selected={isSelected(row.id)}
                data-current={index === current}
                data-peeked={search.peek === row.id}
              >
                <td className={table.tick}>
                  <Checkbox
                    size="xs"
                    aria-label={`Select ${shortId(row.id)}`}
                    checked={isSelected(row.id)}
                    onChange={() => toggle(row.id)}
                  />
                </td>
                <td>
                  <StatusChip status={row.status} />
                </td>
                <td>
                  <Link to="/instances/$instanceId" params={{ instanceId: row.id }} className="mono link">
                    {shortId(row.id)}
                  </Link>
                </td>
                <td>
                  <Link
                    to="/definitions/$definitionId"
                    params={{ definitionId: row.definitionId }}
                    title={row.definitionId}
                  >
                    {names.get(row.definitionId) ?? row.definitionId}
                  </Link>{' '}
                  <span className="muted small">v{row.version}</span>
                </td>
                <td className="mono">{row.correlationId ?? <span className="muted">–</span>}</td>
                <td title={nowText(row)}>
                  <span className={row.error === null ? 'muted' : classes.error}>{nowText(row)}</span>
                </td>
                {columns.map((column) => (
                  <td key={column} title={columnValue(row, column)}>
                    <ColumnCell row={row} column={column} />
                  </td>
                ))}
                <td>
                  <When at={row.createdAt} />
                </td>
                <td className={table.right}>
                  <Took from={row.createdAt} to={row.finishedAt} />
                </td>
                <td>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size={26}
                    aria-label={`Peek at ${shortId(row.id)}`}
                    onClick={() => peek(row.id)}
                  >
                    <PanelRight size={15} />
                  </ActionIcon>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Pager page={page} noun="instance" go={(cursor) => change({ cursor })} />
    </div>
  )
}

function ColumnCell({ row, column }: { readonly row: Instance; readonly column: string }) {
  const value = columnValue(row, column)
  if (value === '') return <span className="muted">–</span>
  if (column === 'createdAt' || column === 'finishedAt') return <When at={value} />
  return <span className="mono">{/^(parentId|nodeId)$/.test(column) ? shortId(value) : value}</span>
}
