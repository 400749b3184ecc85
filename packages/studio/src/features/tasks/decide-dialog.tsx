import { Button, Group, Modal, NativeSelect } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { call } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import type { Json } from '../../designer/model/json.ts'
import { formOf, standardOf } from '../../form/form-of.ts'
import { SchemaForm } from '../../form/schema-form.tsx'
import { Area, ProblemCard } from '../../ui/area.tsx'
import { Missing } from '../../ui/missing.tsx'
import { sentence } from '../../ui/sentence.ts'
import { When } from '../../ui/time.tsx'
import { type HumanTask, humanTaskQuery } from './human-task.ts'

/** What a person is asked, with a field for all that is to be handed in and a button for each way to decide. */
export function DecideDialog({ taskId, close }: { readonly taskId: string; readonly close: () => void }) {
  const query = useQuery(humanTaskQuery(taskId))
  return (
    <Modal opened onClose={close} title={query.data?.title ?? 'A task for a person'} size="md">
      <Area
        name="task"
        query={query}
        rows={4}
        missing={
          <Missing title="There is no such task" list={{ to: '/queues', label: 'All queues' }}>
            It was done more than a week ago, or has been deleted.
          </Missing>
        }
      >
        {(task) => (task.status === 'open' ? <Decide task={task} close={close} /> : <Over task={task} />)}
      </Area>
    </Modal>
  )
}

const Over = ({ task }: { readonly task: HumanTask }) => (
  <p role="status">
    {task.status === 'cancelled'
      ? 'Nobody waits for this any more: its instance has gone on.'
      : `${task.completedBy ?? 'Somebody'} has decided: ${sentence(task.outcome ?? 'done')}.`}
  </p>
)

function Decide({ task, close }: { readonly task: HumanTask; readonly close: () => void }) {
  const form = useMemo(() => formOf(task.form), [task.form])
  const [data, setData] = useState<Json>(() => standardOf(form))
  const { data: caller } = useQuery(sessionQuery())
  const named = [...(task.assignee === null ? [] : [task.assignee]), ...task.candidates]
  const isForOthers = caller?.kind === 'user' && named.length > 0 && !named.includes(caller.name)
  const [chosen, setChosen] = useState('')
  const forWhom = isForOthers ? chosen || named[0]! : ''
  const client = useQueryClient()
  const decide = useMutation({
    mutationFn: (outcome: string) =>
      call('POST', `/human-tasks/${task.id}/complete`, {
        body: {
          outcome,
          ...(form.fields.length === 0 ? {} : { data }),
          ...(forWhom === '' ? {} : { by: forWhom }),
        },
      }),
    onSuccess: (_answer, outcome) => {
      close()
      notifications.show({ message: `${task.title}: ${sentence(outcome)}` })
    },
    // Also when somebody else was faster.
    onSettled: () =>
      Promise.all(
        [['human-tasks', 'list'], ['home'], ['instance', task.instanceId]].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const by = (event.nativeEvent as SubmitEvent).submitter
        decide.mutate(by instanceof HTMLButtonElement ? by.value : task.outcomes[0]!)
      }}
    >
      {task.description !== null && <p style={{ whiteSpace: 'pre-wrap', marginTop: 0 }}>{task.description}</p>}
      {task.dueAt !== null && (
        <p className="small muted">
          Due <When at={task.dueAt} />
        </p>
      )}
      <SchemaForm form={form} value={data} onChange={setData} />
      {isForOthers && (
        <NativeSelect
          mt="sm"
          label="On behalf of"
          description="The task is not for you. Both names are kept."
          data={[...new Set(named)]}
          value={forWhom}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      )}
      {decide.error !== null && <ProblemCard name="decide" error={decide.error} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close} mr="auto">
          Later
        </Button>
        {task.outcomes.map((outcome, index) => (
          <Button
            key={outcome}
            type="submit"
            value={outcome}
            variant={index === 0 ? 'filled' : 'default'}
            loading={decide.isPending && decide.variables === outcome}
            disabled={decide.isPending && decide.variables !== outcome}
          >
            {sentence(outcome)}
          </Button>
        ))}
      </Group>
    </form>
  )
}
