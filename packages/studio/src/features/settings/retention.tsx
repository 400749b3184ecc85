import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Archive, Plus } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { Empty } from '../../ui/area.tsx'
import { List } from '../../ui/list.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { Card } from '../../ui/page.tsx'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { durationText, shortId } from '../../ui/time-text.ts'
import { NewRuleDialog } from './new-rule-dialog.tsx'
import classes from './settings.module.css'
import { type RetentionRule, rulesQuery } from './settings-queries.ts'

export function Retention() {
  const [search] = useUrlSearch()
  const [making, setMaking] = useState(false)
  const query = useQuery(rulesQuery(search.cursor))
  return (
    <Card flush>
      <div className={classes.head}>
        <p className="muted">
          How long what has ended is kept. The narrower rule wins; where there is none, the options of the nodes hold.
        </p>
        <MayButton
          size="xs"
          permission="retention:write"
          leftSection={<Plus size={14} />}
          onClick={() => setMaking(true)}
        >
          New rule
        </MayButton>
      </div>
      <List
        name="retention"
        noun="rule"
        query={query}
        columns={[
          'Rule',
          'Workflow or instance',
          'Status',
          'Kept for',
          'Reason',
          'Created',
          { label: 'Actions', right: true },
        ]}
        empty={
          <Empty icon={<Archive size={22} />} title="No rules">
            The options of the nodes hold for everything.
          </Empty>
        }
        row={(rule) => <RuleRow key={JSON.stringify(rule)} rule={rule} />}
      />
      {making && <NewRuleDialog close={() => setMaking(false)} />}
    </Card>
  )
}

function RuleRow({ rule }: { readonly rule: RetentionRule }) {
  const client = useQueryClient()
  const hold = rule.kind === 'hold'
  const drop = useMutation({
    mutationFn: () =>
      call('DELETE', hold ? '/retention/holds' : '/retention/rules', {
        query: {
          definitionId: rule.definitionId ?? undefined,
          ...(hold ? { instanceId: rule.instanceId ?? undefined } : { status: rule.status ?? undefined }),
        },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: ['retention'] }),
  })
  return (
    <tr>
      <td>
        <ToneChip tone={hold ? 'paused' : 'queued'}>{hold ? 'Legal hold' : 'Retention'}</ToneChip>
      </td>
      <td>{rule.definitionId ?? (rule.instanceId === null ? 'All' : shortId(rule.instanceId))}</td>
      <td>{rule.status ?? 'Any'}</td>
      <td>{hold ? 'Until released' : rule.keepMs === null ? 'Ever' : durationText(rule.keepMs)}</td>
      <td title={rule.reason ?? ''}>{rule.reason ?? <span className="muted">–</span>}</td>
      <td>
        <When at={rule.createdAt} />
      </td>
      <td className={table.right}>
        <MayButton
          size="compact-xs"
          variant="default"
          permission="retention:write"
          loading={drop.isPending}
          onClick={() => drop.mutate()}
        >
          {hold ? 'Release' : 'Delete'}
        </MayButton>
      </td>
    </tr>
  )
}
