import { ActionIcon, Autocomplete, Popover, TextInput, Tooltip } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { BookmarkPlus, ListFilter, X } from 'lucide-react'
import { useState } from 'react'
import { definitionsQuery, instanceCountsQuery } from '../../api/queries.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { ColumnChooser } from './column-chooser.tsx'
import { ExportMenu } from './export-menu.tsx'
import { readTerms, suggestions, termsOf, termText } from './filter-terms.ts'
import classes from './instances.module.css'
import { isChosen, statusOf, statusTabs, tabCount } from './status-tabs.ts'

type Search = Readonly<Record<string, string | undefined>>

interface View {
  readonly name: string
  readonly search: Readonly<Record<string, string>>
}

const builtIn: readonly View[] = [
  { name: 'In flight', search: { status: 'queued,running,suspended,paused,compensating' } },
  { name: 'Faulted today', search: { status: 'faulted,quarantined', 'createdAt[gte]': '-1d' } },
  { name: 'Waiting over 1 h', search: { status: 'suspended', 'createdAt[lte]': '-1h' } },
  {
    name: 'Open longest',
    search: { status: 'queued,running,suspended,paused,compensating', order: 'oldest' },
  },
  { name: 'Slowest', search: { 'createdAt[gte]': '-1d', order: 'duration' } },
]

const ID = /^wfi_[0-9a-f-]{36}$/i

export function FilterBar() {
  const [search, change] = useUrlSearch()
  const [own, setOwn] = useLocalStorage<readonly View[]>({ key: 'lockstep-instance-views', defaultValue: [] })
  const terms = termsOf(search)
  // The order is no filter, but part of a view.
  const said = { ...Object.fromEntries(terms), ...(search.order === undefined ? {} : { order: search.order }) }
  return (
    <>
      <div className={classes.tabs}>
        <StatusTabs />
        <nav className={classes.views} aria-label="Views">
          {[...builtIn, ...own].map((view) => (
            <Link
              key={view.name}
              to="/instances"
              search={view.search as never}
              data-active={sameSearch(said, view.search)}
              activeProps={{}}
            >
              {view.name}
            </Link>
          ))}
        </nav>
      </div>
      <div className={classes.bar}>
        {terms.map((term) => (
          <span key={term[0]} className={classes.chip} data-testid="filter-chip">
            {termText(term)}
            <button
              type="button"
              aria-label={`Drop ${termText(term)}`}
              onClick={() => change({ [term[0]]: undefined, cursor: undefined })}
            >
              <X size={13} aria-hidden />
            </button>
          </span>
        ))}
        <FilterField apply={(parameters) => change({ ...parameters, cursor: undefined })} />
        <ColumnChooser />
        <ExportMenu />
        {terms.length > 0 && (
          <SaveView
            save={(name) => setOwn([...own.filter((view) => view.name !== name), { name, search: said }])}
            saved={own.find((view) => sameSearch(said, view.search))?.name}
            forget={(name) => setOwn(own.filter((view) => view.name !== name))}
          />
        )}
      </div>
    </>
  )
}

/** Links: each is the same list with other statuses, whatever else filters it. */
function StatusTabs() {
  const [search] = useUrlSearch()
  const { status, ...others } = Object.fromEntries(termsOf(search))
  // Inputs stand in journals: nobody counts by them.
  const countable = !Object.keys(others).some((name) => name.startsWith('input.'))
  const { data } = useQuery({
    ...instanceCountsQuery(others),
    enabled: countable,
    refetchInterval: usePollMs(5_000, 5_000),
  })
  const counted = countable ? data : undefined
  const { cursor: _, ...kept } = search
  return (
    <nav className={classes.views} aria-label="Statuses">
      {statusTabs.map((tab) => (
        <Link
          key={tab.name}
          to="/instances"
          search={{ ...kept, status: statusOf(tab) } as never}
          data-active={isChosen(tab, status)}
          activeProps={{}}
          title={counted?.exact === false ? 'Counted among the newest 10,000 that can fit' : undefined}
        >
          {tab.name}
          <span className={classes.tabCount}>{tabCount(tab, counted)}</span>
        </Link>
      ))}
    </nav>
  )
}

function FilterField({ apply }: { readonly apply: (parameters: Readonly<Record<string, string>>) => void }) {
  const [text, setText] = useState('')
  const [fault, setFault] = useState<string>()
  const navigate = useNavigate()
  const { data } = useQuery(definitionsQuery({ limit: 200 }))
  const submit = (given: string): void => {
    if (given.trim() === '') return
    if (ID.test(given.trim())) {
      void navigate({ to: '/instances/$instanceId', params: { instanceId: given.trim().toLowerCase() } })
      return
    }
    const read = readTerms(given)
    if ('fault' in read) {
      setFault(read.fault)
      return
    }
    apply(read.parameters)
    setText('')
    setFault(undefined)
  }
  return (
    <Autocomplete
      className={classes.field ?? ''}
      size="xs"
      data-search-field
      aria-label="Filter"
      placeholder="Filter: status=faulted, input.customerId=42, createdAt>=-1h …"
      leftSection={<ListFilter size={14} />}
      value={text}
      error={fault}
      data={[...suggestions(text, data?.items.map(({ id }) => id) ?? [])]}
      filter={({ options }) => options}
      onChange={(value) => {
        setText(value)
        setFault(undefined)
      }}
      onOptionSubmit={(value) => {
        if (!/[=.]$/.test(value)) submit(value)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.defaultPrevented) submit(text)
      }}
      selectFirstOptionOnChange={false}
      comboboxProps={{ shadow: 'md' }}
    />
  )
}

function SaveView(props: {
  readonly saved: string | undefined
  readonly save: (name: string) => void
  readonly forget: (name: string) => void
}) {
  const [open, setOpen] = useState(false)
  const [name, setName] = useState('')
  const { saved } = props
  if (saved !== undefined) {
    return (
      <Tooltip label={`Forget the view "${saved}"`}>
        <ActionIcon variant="default" size={30} aria-label="Forget this view" onClick={() => props.forget(saved)}>
          <X size={15} />
        </ActionIcon>
      </Tooltip>
    )
  }
  return (
    <Popover opened={open} onChange={setOpen} trapFocus position="bottom-end" withArrow>
      <Popover.Target>
        <Tooltip label="Keep this view">
          <ActionIcon variant="default" size={30} aria-label="Keep this view" onClick={() => setOpen(!open)}>
            <BookmarkPlus size={15} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (name.trim() !== '') props.save(name.trim())
            setOpen(false)
            setName('')
          }}
        >
          <TextInput
            size="xs"
            label="Name of the view"
            value={name}
            maxLength={40}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}

function sameSearch(a: Search, b: Search): boolean {
  const [left, right] = [Object.entries(a), Object.entries(b)]
  return left.length === right.length && left.every(([name, value]) => b[name] === value)
}
