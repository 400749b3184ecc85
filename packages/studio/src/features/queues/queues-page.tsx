import { Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { Table } from '../../ui/list.tsx'
import { Card, Page } from '../../ui/page.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { FlowPolicies } from './flow-policies.tsx'
import { Limits } from './limits.tsx'
import classes from './queues.module.css'
import { queuesQuery } from './queues-queries.ts'
import { HumanTasks, WorkerTasks } from './tasks.tsx'

const parts = [
  ['flow', 'Starts held back', FlowPolicies],
  ['limits', 'Limits of steps', Limits],
  ['tasks', 'Tasks for workers', WorkerTasks],
  ['people', 'Tasks for people', HumanTasks],
  ['dead', 'Dead letters', DeadLetters],
] as const

export function QueuesPage() {
  const [search, change] = useUrlSearch()
  const tab = parts.some(([name]) => name === search.tab) ? search.tab! : 'flow'
  return (
    <Page title="Queues" lead="What waits for its turn, since when, and what holds it back">
      <Waiting />
      <Tabs
        value={tab}
        onChange={(to) => change({ tab: to ?? undefined, cursor: undefined, status: undefined })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {parts.map(([name, label]) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {parts.map(([name, , Part]) => (
          <Tabs.Panel key={name} value={name}>
            <Card flush>
              <Part />
            </Card>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  )
}

const MOST = 10_000
const bounded = (count: number): string => (count >= MOST ? '10,000+' : count.toLocaleString('en'))

/** The agenda itself: instances that could go on, and that no node has in hand yet. */
function Waiting() {
  const query = useQuery({ ...queuesQuery(), refetchInterval: usePollMs(2_000, 2_000) })
  return (
    <Card title="Waits for a worker" flush>
      <Area
        name="queues"
        query={query}
        rows={2}
        isEmpty={({ items }) => items.length === 0}
        empty={
          <p className={classes.calm}>
            <CircleCheck size={16} aria-hidden /> Nothing waits: what is due is in the hands of a node.
          </p>
        }
      >
        {({ items }) => (
          <Table
            columns={[
              'Queue',
              { label: 'Due now', right: true },
              'Oldest',
              { label: 'Due later', right: true },
              'Next',
            ]}
          >
            {items.map((queue) => (
              <tr key={queue.name}>
                <td className="mono">{queue.name}</td>
                <td className={table.right}>{bounded(queue.due)}</td>
                <td>
                  <When at={queue.oldestDueAt} />
                </td>
                <td className={table.right}>{bounded(queue.later)}</td>
                <td>
                  <When at={queue.nextDueAt} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Area>
    </Card>
  )
}
