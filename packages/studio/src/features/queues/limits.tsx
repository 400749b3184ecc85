import { Group } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Gauge } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Empty } from '../../ui/area.tsx'
import { List } from '../../ui/list.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { durationText } from '../../ui/time-text.ts'
import { LimitDialog } from './limit-dialog.tsx'
import { limitsQuery, type StepLimit } from './queues-queries.ts'

/** What steps of all workflows share by a key. */
export function Limits() {
  const [search] = useUrlSearch()
  const query = useQuery({ ...limitsQuery(search.cursor), refetchInterval: usePollMs(2_000, 2_000) })
  const right = (label: string) => ({ label, right: true })
  return (
    <List
      name="limits"
      noun="limit"
      query={query}
      columns={['Key', 'In force', 'In the workflow', right('In use'), right('Waiting'), 'Override', right('Actions')]}
      empty={
        <Empty icon={<Gauge size={22} />} title="No limits yet">
          A step with a limit appears here from its first attempt on.
        </Empty>
      }
      row={(limit) => <LimitRow key={limit.key} limit={limit} />}
    />
  )
}

const ruleText = ({ concurrency, rate }: Pick<StepLimit, 'concurrency' | 'rate'>): string =>
  [
    concurrency === null ? undefined : `${concurrency.toLocaleString('en')} at once`,
    rate === null ? undefined : `${rate.limit.toLocaleString('en')} in ${durationText(rate.perMs)}`,
  ]
    .filter((each) => each !== undefined)
    .join(', ') || 'no bound'

function LimitRow({ limit }: { readonly limit: StepLimit }) {
  const [open, setOpen] = useState(false)
  const client = useQueryClient()
  const drop = useMutation({
    mutationFn: () => call('DELETE', `/limits/${encodeURIComponent(limit.key)}`),
    onSettled: () => client.invalidateQueries({ queryKey: ['limits'] }),
  })
  return (
    <tr data-testid="limit-row">
      <td className="mono">{limit.key}</td>
      <td>{ruleText(limit)}</td>
      <td className="muted">{ruleText(limit.declared)}</td>
      <td className={table.right}>{limit.running.toLocaleString('en')}</td>
      <td className={table.right}>
        {limit.waiting > 0 ? <ToneChip tone="retrying">{limit.waiting.toLocaleString('en')}</ToneChip> : 0}
      </td>
      <td>
        <When at={limit.setAt} none="by the steps" />
      </td>
      <td className={table.right}>
        <Group gap={6} wrap="nowrap" justify="flex-end">
          <MayButton size="compact-xs" variant="default" permission="flow:operate" onClick={() => setOpen(true)}>
            Set…
          </MayButton>
          <MayButton
            size="compact-xs"
            variant="default"
            permission="flow:operate"
            fault={limit.setAt === null ? 'Nothing was set by hand' : undefined}
            loading={drop.isPending}
            onClick={() => drop.mutate()}
          >
            Take back
          </MayButton>
        </Group>
        {open && <LimitDialog limit={limit} close={() => setOpen(false)} />}
      </td>
    </tr>
  )
}
