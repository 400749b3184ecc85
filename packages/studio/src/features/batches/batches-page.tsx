import { Button, Progress } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Layers } from 'lucide-react'
import { call } from '../../api/client.ts'
import { batchesQuery } from '../../api/queries.ts'
import type { BatchOperation } from '../../api/wire.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area, Empty } from '../../ui/area.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { shortId } from '../../ui/time-text.ts'

const tones = { freezing: 'queued', applying: 'running', done: 'completed', cancelled: 'ended' } as const
const words = { freezing: 'Listing', applying: 'Under way', done: 'Done', cancelled: 'Cancelled' } as const

export function BatchesPage() {
  const [search, change] = useUrlSearch()
  const query = useQuery({
    ...batchesQuery({ cursor: search.cursor, limit: 50 }),
    refetchInterval: usePollMs(1_500, 1_500),
  })
  return (
    <Page title="Batches" lead="What was done with many instances at once">
      <Card flush>
        <Area
          name="batches"
          query={query}
          isEmpty={({ items }) => items.length === 0}
          empty={
            <Empty icon={<Layers size={22} />} title="No batches yet">
              Select instances in their list and choose what to do with them.
            </Empty>
          }
        >
          {(page) => (
            <>
              <div className={table.wrap}>
                <table className={table.table}>
                  <thead>
                    <tr>
                      <th>Batch</th>
                      <th>State</th>
                      <th>Does</th>
                      <th>Progress</th>
                      <th>Outcomes</th>
                      <th>Note</th>
                      <th>Begun</th>
                      <th className={table.right}>Do</th>
                    </tr>
                  </thead>
                  <tbody>
                    {page.items.map((operation) => (
                      <BatchRow key={operation.id} operation={operation} current={operation.id === search.id} />
                    ))}
                  </tbody>
                </table>
              </div>
              <Pager page={page} noun="batch" go={(cursor) => change({ cursor })} />
            </>
          )}
        </Area>
      </Card>
    </Page>
  )
}

function BatchRow({ operation, current }: { readonly operation: BatchOperation; readonly current: boolean }) {
  const client = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => call('POST', `/batch-operations/${operation.id}/cancel`, { body: {} }),
    onSettled: () => client.invalidateQueries({ queryKey: ['batches'] }),
  })
  const over = operation.state === 'done' || operation.state === 'cancelled'
  const share = operation.total === 0 ? (over ? 100 : 0) : (operation.done / operation.total) * 100
  const outcomes = Object.entries(operation.outcomes)
    .map(([name, count]) => `${count.toLocaleString('en')} ${name}`)
    .join(', ')
  return (
    <tr data-selected={current}>
      <td className="mono">{shortId(operation.id)}</td>
      <td>
        <ToneChip tone={tones[operation.state]}>{words[operation.state]}</ToneChip>
      </td>
      <td>{operation.action}</td>
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
        <Button
          size="compact-xs"
          variant="default"
          disabled={over}
          loading={cancel.isPending}
          onClick={() => cancel.mutate()}
        >
          Stop
        </Button>
      </td>
    </tr>
  )
}
