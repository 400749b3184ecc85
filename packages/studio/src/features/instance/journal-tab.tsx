import { Button, SegmentedControl, Select, TextInput, Tooltip } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { Download, Search } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { journalPages, journalQuery } from '../../api/journal.ts'
import { isSettled, PAGE, wholeJournal } from '../../api/journal-pages.ts'
import { toProblem } from '../../api/problem.ts'
import type { FactRow, Instance } from '../../api/wire.ts'
import { saveFile } from '../../browser/save-file.ts'
import { Area } from '../../ui/area.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { factGroups, factText, fitsGroup, type GroupName, toneOf } from './fact-look.ts'
import classes from './journal-tab.module.css'

const ROW = 32

type Order = 'desc' | 'asc'

interface JournalProps {
  readonly instance: Instance
  readonly at: number | undefined
  readonly select: (step: string) => void
  readonly go: (seq: number) => void
}

/** All facts, from either end, a page at a time; only the rows in sight are in the page. */
export function JournalTab(props: JournalProps) {
  const [order, setOrder] = useState<Order>('desc')
  const [group, setGroup] = useState<GroupName>('all')
  const [text, setText] = useState('')
  const journal = useJournal(props.instance, order)
  const { facts, more, loadMore, loading } = journal
  const shown = useMemo(() => {
    const wanted = text.trim().toLowerCase()
    return facts.filter((fact) => fitsGroup(fact, group) && (wanted === '' || matches(fact, wanted)))
  }, [facts, group, text])
  return (
    <div>
      <div className={classes.tools}>
        <SegmentedControl
          size="xs"
          aria-label="Order"
          data={[
            { value: 'desc', label: 'Newest first' },
            { value: 'asc', label: 'Oldest first' },
          ]}
          value={order}
          onChange={(value) => setOrder(value as Order)}
        />
        <Select
          size="xs"
          w={150}
          aria-label="Kinds of facts"
          data={factGroups.map(({ name, label }) => ({ value: name, label }))}
          value={group}
          allowDeselect={false}
          onChange={(value) => setGroup(value as GroupName)}
        />
        <TextInput
          size="xs"
          className={classes.search ?? ''}
          aria-label="Search in the journal"
          placeholder="Step, kind or value"
          leftSection={<Search size={13} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <SaveJournal instance={props.instance} />
      </div>
      <Area<unknown> name="journal" query={journal.query} rows={8}>
        {() => <FactList {...props} facts={shown} more={more} loadMore={loadMore} loading={loading} />}
      </Area>
    </div>
  )
}

/** The whole of it, whatever is shown. */
function SaveJournal({ instance }: { readonly instance: Instance }) {
  const [count, setCount] = useState(0)
  const save = useMutation({
    mutationFn: () => wholeJournal(journalPages(instance.id), setCount),
    onSuccess: (facts) =>
      saveFile(`${instance.id}-journal.json`, 'application/json', JSON.stringify(facts, undefined, 2)),
    onError: (error) =>
      notifications.show({ color: 'danger', title: toProblem(error).title, message: toProblem(error).detail }),
  })
  return (
    <Tooltip label={save.isPending ? `${count.toLocaleString('en')} facts` : 'Save the whole journal'}>
      <Button
        size="xs"
        variant="default"
        leftSection={<Download size={13} />}
        loading={save.isPending}
        onClick={() => save.mutate()}
      >
        JSON
      </Button>
    </Tooltip>
  )
}

function matches(fact: FactRow, wanted: string): boolean {
  return fact.kind.includes(wanted) || JSON.stringify(fact.data).toLowerCase().includes(wanted)
}

/** Newest first begins with what is kept up to date anyway, and reads on below it. */
function useJournal({ id }: Instance, order: Order) {
  const client = useQueryClient()
  const newest = useQuery(journalQuery(client, id))
  const low = newest.data?.facts[0]?.seq
  const pages = useInfiniteQuery({
    queryKey: ['journal-pages', id, order, order === 'desc' ? low : 0],
    enabled: order === 'asc',
    initialPageParam: order === 'asc' ? '0' : String(low ?? 0),
    queryFn: ({ pageParam, signal }) =>
      journalPages(id, signal)({ order, limit: PAGE, [order === 'asc' ? 'after' : 'before']: pageParam }),
    getNextPageParam: (last) => last.page.next ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const read = pages.data?.pages.flatMap(({ items }) => items) ?? []
  const first = pages.data === undefined
  if (order === 'asc') {
    const known = newest.data
    // Where the pages have come as far as what is kept up to date, that goes on for them.
    const end = read.at(-1)?.seq ?? 0
    const tail = pages.hasNextPage ? [] : (known?.facts.filter(({ seq }) => seq > end) ?? [])
    return {
      query: pages,
      facts: [...read, ...tail],
      more: pages.hasNextPage,
      loading: pages.isFetchingNextPage,
      loadMore: () => void pages.fetchNextPage(),
    }
  }
  return {
    query: newest,
    facts: [...(newest.data?.facts ?? [])].reverse().concat(read),
    more: newest.data?.complete === false && (first || pages.hasNextPage),
    // What is kept up to date reaches back by itself; only behind it are pages asked for.
    loading: pages.isFetching || (newest.data !== undefined && !isSettled(newest.data)),
    loadMore: () => void (first ? pages.refetch() : pages.fetchNextPage()),
  }
}

interface ListProps extends JournalProps {
  readonly facts: readonly FactRow[]
  readonly more: boolean
  readonly loading: boolean
  readonly loadMore: () => void
}

function FactList({ facts, more, loading, loadMore, at, select, go }: ListProps) {
  const box = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<number>()
  const rows = useVirtualizer({
    count: facts.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    getItemKey: (index) => facts[index]!.seq,
    overscan: 20,
  })
  const items = rows.getVirtualItems()
  const nearEnd = (items.at(-1)?.index ?? 0) >= facts.length - 20
  useEffect(() => {
    if (nearEnd && more && !loading) loadMore()
  }, [nearEnd, more, loading, loadMore])
  return (
    <div ref={box} className={classes.list}>
      {facts.length === 0 && <p className={classes.none}>{more ? 'Looking further …' : 'No fact fits.'}</p>}
      <ul aria-label="Facts" style={{ height: rows.getTotalSize() }}>
        {items.map(({ index, start, key }) => {
          const fact = facts[index]!
          const step = typeof fact.data.step === 'string' ? fact.data.step : undefined
          return (
            <li
              key={key}
              ref={rows.measureElement}
              data-index={index}
              data-fact={fact.seq}
              className={classes.fact}
              data-future={at !== undefined && fact.seq > at}
              style={{ transform: `translateY(${start}px)` }}
            >
              <div className={classes.line}>
                <button
                  type="button"
                  className={classes.seq}
                  title="Show the instance as it was then"
                  onClick={() => go(fact.seq)}
                >
                  {fact.seq}
                </button>
                <span className="num small muted">{fact.at.slice(11, 23)}</span>
                <span className={classes.kind} style={{ color: `var(--${toneOf(fact)})` }}>
                  {fact.kind}
                </span>
                {step === undefined ? (
                  <span className={classes.none}>–</span>
                ) : (
                  <button type="button" className={classes.step} onClick={() => select(step)}>
                    {step}
                  </button>
                )}
                <button
                  type="button"
                  className={classes.said}
                  aria-expanded={open === fact.seq}
                  onClick={() => setOpen(open === fact.seq ? undefined : fact.seq)}
                >
                  {factText(fact) || <span className="muted">details</span>}
                </button>
              </div>
              {open === fact.seq && (
                <div className={classes.detail}>
                  <JsonView value={fact.data} name="fact" />
                  <p className="small muted mono">
                    written by {fact.nodeId}, claim {fact.claimNo}
                  </p>
                </div>
              )}
            </li>
          )
        })}
      </ul>
    </div>
  )
}
