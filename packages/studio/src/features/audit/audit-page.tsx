import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Download, ScrollText } from 'lucide-react'
import { useState } from 'react'
import { call, type Query } from '../../api/client.ts'
import type { Page as PageOf } from '../../api/wire.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { saveFile } from '../../browser/save-file.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Empty } from '../../ui/area.tsx'
import { csvOf } from '../../ui/csv.ts'
import { List } from '../../ui/list.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Restricted } from '../../ui/restricted.tsx'
import { sentence } from '../../ui/sentence.ts'
import { ToneChip } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import classes from './audit.module.css'
import { AuditPanel } from './audit-panel.tsx'
import { type AuditEntry, auditQuery } from './audit-query.ts'

const filters = [
  { name: 'actor', label: 'Who', placeholder: 'user:ann' },
  { name: 'operation', label: 'Action', placeholder: 'Release lock' },
  { name: 'target', label: 'Target', placeholder: 'wfi_…, order, user' },
  { name: 'outcome', label: 'Outcome', placeholder: 'done, FORBIDDEN' },
] as const

/** At most so many leave in one file. */
const MOST_EXPORTED = 2_000

export function AuditPage() {
  return (
    <Page title="Audit" lead="Who changed what, from where, and what came of it. Entries are never changed.">
      <Restricted permission="audit:read">
        <AuditList />
      </Restricted>
    </Page>
  )
}

function AuditList() {
  const [search, change] = useUrlSearch()
  const filter = Object.fromEntries(filters.map(({ name }) => [name, search[name] || undefined]))
  if (filter.operation !== undefined) filter.operation = asOperation(filter.operation)
  const query = useQuery({
    ...auditQuery({ ...filter, cursor: search.cursor, limit: 50 }),
    refetchInterval: usePollMs(4_000, 4_000),
  })
  const chosen = query.data?.items.find(({ seq }) => seq === search.entry)
  return (
    <>
      <div className={classes.filters}>
        {filters.map((each) => (
          <TextInput
            key={each.name}
            size="xs"
            label={each.label}
            placeholder={each.placeholder}
            defaultValue={search[each.name] ?? ''}
            onKeyDown={(event) => {
              if (event.key === 'Enter') change({ [each.name]: event.currentTarget.value.trim(), cursor: undefined })
            }}
            onBlur={(event) => {
              const value = event.currentTarget.value.trim()
              if (value !== (search[each.name] ?? '')) change({ [each.name]: value, cursor: undefined })
            }}
          />
        ))}
        <ExportButton filter={filter} />
      </div>
      <Card flush>
        <List
          name="audit"
          noun="entry"
          plural="entries"
          query={query}
          columns={['When', 'Who', 'Action', 'Target', 'Outcome', 'Reason', 'From address', 'Node']}
          empty={
            <Empty icon={<ScrollText size={22} />} title="No entries">
              Every change through the API, and every attempt at one, is written down here.
            </Empty>
          }
          row={(entry) => (
            <tr key={entry.seq} data-selected={entry.seq === search.entry}>
              <td>
                <When at={entry.at} />
              </td>
              <td>{entry.actor.id}</td>
              <td>
                <button
                  type="button"
                  className={`${classes.open} link`}
                  title={entry.operation}
                  onClick={() => change({ entry: entry.seq }, true)}
                >
                  {sentence(entry.operation)}
                </button>
                {entry.times > 1 && <span className="muted"> {entry.times} times</span>}
              </td>
              <td className="mono" title={entry.target}>
                {entry.target || <span className="muted">–</span>}
              </td>
              <td>
                <ToneChip tone={entry.outcome === 'done' ? 'completed' : 'faulted'}>
                  {entry.outcome === 'done' ? 'Done' : entry.outcome}
                </ToneChip>
              </td>
              <td title={entry.reason ?? ''}>{entry.reason ?? <span className="muted">–</span>}</td>
              <td>{entry.address}</td>
              <td>{entry.node || <span className="muted">–</span>}</td>
            </tr>
          )}
        />
      </Card>
      {chosen !== undefined && <AuditPanel entry={chosen} close={() => change({ entry: undefined }, true)} />}
    </>
  )
}

/** As it is shown, or as the API calls it. */
const asOperation = (text: string): string =>
  text.replace(/^\w/, (first) => first.toLowerCase()).replace(/\s+(\w)/g, (_, first: string) => first.toUpperCase())

function ExportButton({ filter }: { readonly filter: Query }) {
  const [busy, setBusy] = useState(false)
  const save = async (): Promise<void> => {
    setBusy(true)
    try {
      const rows: AuditEntry[] = []
      let cursor: string | undefined
      do {
        const page = await call<PageOf<AuditEntry>>('GET', '/audit-log', { query: { ...filter, cursor, limit: 200 } })
        rows.push(...page.items)
        cursor = page.page.next ?? undefined
      } while (cursor !== undefined && rows.length < MOST_EXPORTED)
      saveFile('audit.csv', 'text/csv', auditCsv(rows))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button size="xs" variant="default" leftSection={<Download size={14} />} loading={busy} onClick={() => void save()}>
      Export CSV
    </Button>
  )
}

const auditCsv = (rows: readonly AuditEntry[]): string =>
  csvOf(
    [
      'at',
      'actor',
      'operation',
      'times',
      'target',
      'outcome',
      'status',
      'reason',
      'address',
      'node',
      'before',
      'after',
    ],
    rows.map((row) => [
      ...[
        row.at,
        row.actor.id,
        row.operation,
        row.times,
        row.target,
        row.outcome,
        row.status,
        row.reason,
        row.address,
        row.node,
      ],
      ...[row.before, row.after].map((value) => (value === null ? '' : JSON.stringify(value))),
    ]),
  )
