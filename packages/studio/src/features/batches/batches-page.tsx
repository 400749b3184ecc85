import { Progress } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Layers } from 'lucide-react'
import { batchesQuery } from '../../api/queries.ts'
import type { BatchOperation } from '../../api/wire.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Empty } from '../../ui/area.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { sentence } from '../../ui/sentence.ts'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { shortId } from '../../ui/time-text.ts'
import { BatchButtons } from './batch-buttons.tsx'
import { BatchDetail } from './batch-detail.tsx'
import { isOver, outcomeText, stateLooks } from './batch-words.ts'

export function BatchesPage() {
  const [search] = useUrlSearch()
  const query = useQuery({
    ...batchesQuery({ cursor: search.cursor, limit: 50 }),
    refetchInterval: usePollMs(1_500, 1_500),
  })
  return (
    <ListPage
      title="Batches"
      lead="What was done with many instances at once"
      name="batches"
      noun="batch"
      plural="batches"
      query={query}
      columns={['Batch', 'State', 'Does', 'Progress', 'Outcomes', 'Note', 'Begun', { label: 'Actions', right: true }]}
      empty={
        <Empty icon={<Layers size={22} />} title="No batches yet">
          Select instances in their list and choose what to do with them.
        </Empty>
      }
      above={search.id === undefined ? undefined : <BatchDetail id={search.id} key={search.id} />}
      row={(operation) => <BatchRow key={operation.id} operation={operation} current={operation.id === search.id} />}
    />
  )
}

function BatchRow({ operation, current }: { readonly operation: BatchOperation; readonly current: boolean }) {
  const { label, tone } = stateLooks[operation.state]
  const share = operation.total === 0 ? (isOver(operation.state) ? 100 : 0) : (operation.done / operation.total) * 100
  const outcomes = Object.entries(operation.outcomes)
    .map(([name, count]) => `${count.toLocaleString('en')} ${outcomeText(name).toLowerCase()}`)
    .join(', ')
  return (
    <tr data-selected={current}>
      <td>
        <Link to="/batches" search={{ id: operation.id } as never} className="mono link">
          {shortId(operation.id)}
        </Link>
      </td>
      <td>
        <ToneChip tone={tone}>{label}</ToneChip>
      </td>
      <td>{sentence(operation.action)}</td>
      <td>
        <div style={{ display: 'flex', alignItems: 'center', gap: 8, width: 200 }}>
          <Progress value={share} w={90} size="sm" aria-label="Progress" />
          <span className="num small">
            {operation.done.toLocaleString('en')} / {operation.total.toLocaleString('en')}
          </span>
        </div>
      </td>
      <td title={outcomes}>{outcomes || <span className="muted">–</span>}</td>
      <td title={operation.note ?? ''}>{operation.note ?? <span className="muted">–</span>}</td>
      <td>
        <When at={operation.createdAt} />
      </td>
      <td className={table.right}>
        <BatchButtons operation={operation} />
      </td>
    </tr>
  )
}
