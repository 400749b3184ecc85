import { Group } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TrafficCone } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Empty } from '../../ui/area.tsx'
import { List } from '../../ui/list.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { FlowDialog } from './flow-dialog.tsx'
import { type FlowPolicy, flowLoadQuery, flowPoliciesQuery } from './queues-queries.ts'

/** Workflows whose starts are held back: by key, by number, by time. */
export function FlowPolicies() {
  const [search] = useUrlSearch()
  const query = useQuery({ ...flowPoliciesQuery(search.cursor), refetchInterval: usePollMs(4_000, 4_000) })
  const right = (label: string) => ({ label, right: true })
  return (
    <List
      name="flow"
      noun="workflow"
      query={query}
      columns={[
        'Workflow',
        'In force',
        right('Waiting'),
        right('Under way'),
        right('Gathering'),
        'Set',
        right('Actions'),
      ]}
      empty={
        <Empty icon={<TrafficCone size={22} />} title="No workflow holds its starts back">
          A workflow with a member "flow" (singleton, concurrency, rate, throttle, debounce, batch) appears here.
        </Empty>
      }
      row={(policy) => <PolicyRow key={policy.definitionId} policy={policy} />}
    />
  )
}

function PolicyRow({ policy }: { readonly policy: FlowPolicy }) {
  const [open, setOpen] = useState(false)
  const client = useQueryClient()
  const load = useQuery({ ...flowLoadQuery(policy.definitionId), refetchInterval: usePollMs(2_000, 2_000) })
  const drop = useMutation({
    mutationFn: () => call('DELETE', `/flow-policies/${encodeURIComponent(policy.definitionId)}`),
    onSettled: () => client.invalidateQueries({ queryKey: ['flow'] }),
  })
  const count = (value: number | undefined) => <td className={table.right}>{value?.toLocaleString('en') ?? '–'}</td>
  return (
    <tr data-testid="flow-row">
      <td>
        <Link to="/definitions/$definitionId" params={{ definitionId: policy.definitionId }} className="link">
          {policy.definitionId}
        </Link>
      </td>
      <td title={JSON.stringify(policy.policy)}>{policyText(policy.policy)}</td>
      {count(load.data?.waiting)}
      {count(load.data?.alive)}
      {count(load.data?.gathering)}
      <td>
        {policy.chosen === null ? (
          <span className="muted">by the workflow</span>
        ) : (
          <ToneChip tone="paused">by hand</ToneChip>
        )}
      </td>
      <td className={table.right}>
        <Group gap={6} wrap="nowrap" justify="flex-end">
          <MayButton size="compact-xs" variant="default" permission="flow:write" onClick={() => setOpen(true)}>
            Change…
          </MayButton>
          <MayButton
            size="compact-xs"
            variant="default"
            permission="flow:write"
            fault={policy.chosen === null ? 'Nothing was set by hand' : undefined}
            loading={drop.isPending}
            onClick={() => drop.mutate()}
          >
            Take back
          </MayButton>
        </Group>
        {open && <FlowDialog policy={policy} close={() => setOpen(false)} />}
      </td>
    </tr>
  )
}

/** `2 at once, 10 per 1m`; what is rarer, in the words of the document. */
function policyText(policy: FlowPolicy['policy']): string {
  if (policy === null || Object.keys(policy).length === 0) return 'nothing is held back'
  return Object.entries(policy)
    .map(([name, value]) => limitText(name, value))
    .join(', ')
}

function limitText(name: string, value: unknown): string {
  const { limit, per, ...rest } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const bare = limit !== undefined && Object.keys(rest).length === 0
  if (bare && name === 'concurrency' && per === undefined) return `${limit} at once`
  if (bare && name === 'rate' && per !== undefined) return `${limit} per ${per}`
  return `${name} ${typeof value === 'object' ? parts(value) : String(value)}`
}

const parts = (value: unknown): string =>
  Object.entries(value as object)
    .map(([name, each]) => `${name}=${typeof each === 'object' ? JSON.stringify(each) : String(each)}`)
    .join(' ')
