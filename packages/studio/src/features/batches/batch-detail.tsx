import { Group, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Layers } from 'lucide-react'
import { batchItemsQuery, batchQuery } from '../../api/queries.ts'
import type { BatchItem } from '../../api/wire.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Empty } from '../../ui/area.tsx'
import { List } from '../../ui/list.tsx'
import { Card } from '../../ui/page.tsx'
import { sentence } from '../../ui/sentence.ts'
import { ToneChip } from '../../ui/status.tsx'
import { shortId } from '../../ui/time-text.ts'
import { AgainButton } from './again-button.tsx'
import { BatchButtons } from './batch-buttons.tsx'
import { isOver, outcomeText } from './batch-words.ts'

/** Of all outcomes, as the address has it: none. */
const ALL = ''

/** What became of every instance of one batch; those of one outcome on their own. */
export function BatchDetail({ id }: { readonly id: string }) {
  const [search, change] = useUrlSearch()
  const poll = usePollMs(1_500, 1_500)
  const { data: operation } = useQuery({
    ...batchQuery(id),
    refetchInterval: ({ state }) => (isOver(state.data?.state) ? false : poll),
  })
  const outcome = search.outcome ?? ALL
  const items = useQuery({
    ...batchItemsQuery(id, {
      ...(outcome === ALL ? {} : { outcome }),
      cursor: search.items,
      limit: 20,
    }),
    refetchInterval: isOver(operation?.state) ? false : poll,
  })
  const outcomes = Object.entries(operation?.outcomes ?? {})
  const title = operation === undefined ? shortId(id) : `${sentence(operation.action)} · ${shortId(id)}`
  return (
    <Card
      title={title}
      flush
      aside={
        <Group gap={12}>
          {operation !== undefined && <BatchButtons operation={operation} />}
          {operation !== undefined && <AgainButton operation={operation} />}
          <Link to="/batches" search={{} as never} className="link small">
            All batches
          </Link>
        </Group>
      }
    >
      {outcomes.length > 1 && (
        <div style={{ padding: '8px 16px 0' }}>
          <SegmentedControl
            size="xs"
            aria-label="Outcome"
            data={[
              { value: ALL, label: 'All' },
              ...outcomes.map(([value, count]) => ({
                value,
                label: `${outcomeText(value)} · ${count.toLocaleString('en')}`,
              })),
            ]}
            value={outcome}
            onChange={(value) => change({ outcome: value === ALL ? undefined : value, items: undefined })}
          />
        </div>
      )}
      <List
        name="batch-items"
        noun="instance"
        query={items}
        cursor="items"
        rows={4}
        columns={['Instance', 'Outcome', 'Detail']}
        empty={<Empty icon={<Layers size={22} />} title="No instance is part of it" />}
        row={(item) => <ItemRow key={item.instanceId} item={item} />}
      />
    </Card>
  )
}

const tones: Readonly<Record<string, string>> = { accepted: 'completed', 'already-requested': 'completed' }

const ItemRow = ({ item }: { readonly item: BatchItem }) => (
  <tr>
    <td>
      <Link to="/instances/$instanceId" params={{ instanceId: item.instanceId }} className="mono link">
        {shortId(item.instanceId)}
      </Link>
    </td>
    <td>
      {item.outcome === null ? (
        <ToneChip tone="queued">Not yet</ToneChip>
      ) : (
        <ToneChip tone={tones[item.outcome] ?? 'ended'}>{outcomeText(item.outcome)}</ToneChip>
      )}
    </td>
    <td title={item.detail ?? ''}>{item.detail ?? <span className="muted">–</span>}</td>
  </tr>
)
