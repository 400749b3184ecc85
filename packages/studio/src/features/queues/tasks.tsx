import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ClipboardList } from 'lucide-react'
import { useState } from 'react'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Empty } from '../../ui/area.tsx'
import { List } from '../../ui/list.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { sentence } from '../../ui/sentence.ts'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { shortId } from '../../ui/time-text.ts'
import { DecideDialog } from '../tasks/decide-dialog.tsx'
import { humanTasksQuery } from '../tasks/human-task.ts'
import classes from './queues.module.css'
import { tasksQuery } from './queues-queries.ts'

const tones: Readonly<Record<string, string>> = {
  open: 'queued',
  claimed: 'running',
  completed: 'completed',
  failed: 'faulted',
  cancelled: 'ended',
}

const InstanceLink = ({ id }: { readonly id: string }) => (
  <Link to="/instances/$instanceId" params={{ instanceId: id }} className="mono link">
    {shortId(id)}
  </Link>
)

export function WorkerTasks() {
  const [search, change] = useUrlSearch()
  const query = useQuery({ ...tasksQuery(search.cursor, search.status), refetchInterval: usePollMs(3_000, 3_000) })
  return (
    <>
      <div className={classes.head}>
        <p className="muted">What workers of yours claim over the API. Those that failed stay here for a week.</p>
        <Select
          size="xs"
          w={160}
          aria-label="State of tasks"
          placeholder="Any state"
          clearable
          data={Object.keys(tones).map((value) => ({ value, label: sentence(value) }))}
          value={search.status ?? null}
          onChange={(status) => change({ status: status ?? undefined, cursor: undefined })}
        />
      </div>
      <List
        name="tasks"
        noun="task"
        query={query}
        columns={['Task', 'State', 'Queue', 'Instance', 'Step', 'Worker', 'Claim ends', 'Made']}
        empty={
          <Empty icon={<ClipboardList size={22} />} title="No tasks">
            A step that hands work to your own workers makes a task.
          </Empty>
        }
        row={(task) => (
          <tr key={task.id}>
            <td>{task.name}</td>
            <td>
              <ToneChip tone={tones[task.status] ?? 'queued'}>{sentence(task.status)}</ToneChip>
            </td>
            <td className="mono">{task.queue}</td>
            <td>
              <InstanceLink id={task.instanceId} />
            </td>
            <td className="mono">{task.step}</td>
            <td>{task.worker ?? <span className="muted">–</span>}</td>
            <td>
              <When at={task.leaseEndsAt} />
            </td>
            <td>
              <When at={task.createdAt} />
            </td>
          </tr>
        )}
      />
    </>
  )
}

export function HumanTasks() {
  const [search] = useUrlSearch()
  const query = useQuery({ ...humanTasksQuery(search.cursor), refetchInterval: usePollMs(3_000, 3_000) })
  const [chosen, choose] = useState<string>()
  return (
    <>
      <List
        name="people"
        noun="task"
        query={query}
        columns={['Task', 'For', 'Instance', 'Step', 'Due', 'Made', { label: 'Actions', right: true }]}
        empty={
          <Empty icon={<ClipboardList size={22} />} title="Nobody has anything to decide">
            A step that asks a person makes a task, which is listed until it is done.
          </Empty>
        }
        row={(task) => (
          <tr key={task.id}>
            <td title={task.description ?? ''}>{task.title}</td>
            <td>{task.assignee ?? (task.candidates.join(', ') || <span className="muted">anybody</span>)}</td>
            <td>
              <InstanceLink id={task.instanceId} />
            </td>
            <td className="mono">{task.step}</td>
            <td>
              <When at={task.dueAt} />
            </td>
            <td>
              <When at={task.createdAt} />
            </td>
            <td className={table.right}>
              <MayButton
                size="compact-xs"
                variant="default"
                permission="tasks:decide"
                onClick={() => choose(task.id)}
                aria-label={`Decide: ${task.title}`}
              >
                Decide…
              </MayButton>
            </td>
          </tr>
        )}
      />
      {chosen !== undefined && <DecideDialog taskId={chosen} close={() => choose(undefined)} />}
    </>
  )
}
