import { Button, Menu, Tooltip } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ban, ChevronDown, Pause, Play, RotateCw, Square, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import type { Instance, InstanceStatus } from '../../api/wire.ts'
import { MayButton } from '../../ui/may-button.tsx'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { useMay } from '../../ui/use-may.ts'
import { StartButton } from '../instances/start-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import classes from './instance.module.css'

const PERMISSION = 'instances:operate'
const over: readonly InstanceStatus[] = ['completed', 'cancelled', 'terminated', 'faulted']

interface Verb {
  readonly name: 'retry' | 'pause' | 'continue' | 'cancel' | 'terminate'
  readonly label: string
  readonly effect: string
  readonly icon: React.ReactNode
  readonly danger?: boolean
  readonly field?: 'reason' | 'note'
  /** Why it cannot be done now. */
  readonly fault: (status: InstanceStatus) => string | undefined
}

const ended = (status: InstanceStatus): string | undefined =>
  over.includes(status) ? `It has ended: it is ${status}` : undefined

const verbs: readonly Verb[] = [
  {
    name: 'retry',
    label: 'Retry',
    effect: 'It goes on from the step that failed. What was done before stays done.',
    icon: <RotateCw size={14} />,
    field: 'note',
    fault: (status) =>
      status === 'faulted' || status === 'quarantined' || status === 'suspended'
        ? undefined
        : 'Nothing of it has failed',
  },
  {
    name: 'pause',
    label: 'Pause',
    effect: 'Nothing new starts until it is continued. What runs may finish.',
    icon: <Pause size={13} fill="currentColor" strokeWidth={1} />,
    field: 'reason',
    fault: (status) => ended(status) ?? (status === 'paused' ? 'It is paused already' : undefined),
  },
  {
    name: 'continue',
    label: 'Continue',
    effect: 'It goes on where it was paused.',
    icon: <Play size={14} />,
    fault: (status) => (status === 'paused' ? undefined : 'It is not paused'),
  },
  {
    name: 'cancel',
    label: 'Cancel',
    effect: 'It stops, and undoes what it did where the workflow says how.',
    icon: <Ban size={14} />,
    danger: true,
    field: 'reason',
    fault: ended,
  },
  {
    name: 'terminate',
    label: 'Terminate',
    effect: 'It ends at once. Nothing is undone.',
    icon: <Square size={14} />,
    danger: true,
    field: 'reason',
    fault: ended,
  },
]

/** What can be done with an instance. What cannot be done now is shown, with the reason. */
export function Verbs({ instance }: { readonly instance: Instance }) {
  const [chosen, choose] = useState<Verb>()
  const [deleting, setDeleting] = useState(false)
  const client = useQueryClient()
  const run = useMutation({
    mutationFn: ({ verb, reason }: { readonly verb: Verb; readonly reason: string }) =>
      call('POST', `/workflow-instances/${instance.id}/${verb.name}`, {
        body: verb.field === undefined || reason === '' ? {} : { [verb.field]: reason },
      }),
    onSuccess: async (_answer, { verb }) => {
      choose(undefined)
      notifications.show({ message: `${verb.label}: the server has taken it up` })
      await client.invalidateQueries({ queryKey: ['instance', instance.id] })
    },
  })
  const [main, rest] = pick(instance.status)
  const { reason: forbidden } = useMay(PERMISSION)
  return (
    <div className={classes.actions}>
      {main.map((verb) => (
        <MayButton
          key={verb.name}
          size="xs"
          permission={PERMISSION}
          variant={verb.name === 'retry' ? 'filled' : 'default'}
          leftSection={verb.icon}
          onClick={() => choose(verb)}
        >
          {verb.label}
        </MayButton>
      ))}
      <StartButton
        label="Run again"
        // One thing to do stands out: where something failed, that is to retry it.
        variant={main.some(({ name }) => name === 'retry') ? 'default' : 'filled'}
        definitionId={instance.definitionId}
        input={instance.input}
      />
      <Menu position="bottom-end" width={200} shadow="md">
        <Menu.Target>
          <Button size="xs" variant="default" rightSection={<ChevronDown size={14} />}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {rest.map((verb) => (
            <Item
              key={verb.name}
              {...verb}
              fault={forbidden ?? verb.fault(instance.status)}
              onClick={() => choose(verb)}
            />
          ))}
          <Menu.Divider />
          <Item
            label="Delete"
            icon={<Trash2 size={14} />}
            danger
            fault={forbidden ?? (over.includes(instance.status) ? undefined : 'It has not ended')}
            onClick={() => setDeleting(true)}
          />
        </Menu.Dropdown>
      </Menu>
      {chosen !== undefined && (
        <ReasonDialog
          title={`${chosen.label} this instance`}
          effect={chosen.effect}
          label={chosen.label}
          {...(chosen.field === undefined ? {} : { reasonLabel: chosen.field === 'note' ? 'Note' : 'Reason' })}
          danger={chosen.danger === true}
          pending={run.isPending}
          problem={run.error === null ? undefined : toProblem(run.error)}
          close={() => {
            run.reset()
            choose(undefined)
          }}
          confirm={(reason) => run.mutate({ verb: chosen, reason })}
        />
      )}
      {deleting && <DeleteDialog instance={instance} close={() => setDeleting(false)} />}
    </div>
  )
}

function Item(props: {
  readonly label: string
  readonly icon: React.ReactNode
  readonly danger?: boolean
  readonly fault: string | undefined
  readonly onClick: () => void
}) {
  const { label, icon, danger, fault, onClick } = props
  return (
    <Tooltip label={fault} disabled={fault === undefined} position="left">
      <div>
        <Menu.Item
          leftSection={icon}
          disabled={fault !== undefined}
          {...(danger === true ? { color: 'var(--faulted)' } : {})}
          onClick={onClick}
        >
          {label}
        </Menu.Item>
      </div>
    </Tooltip>
  )
}

/** What is likely wanted stands outside, the rest in the menu. */
function pick(status: InstanceStatus): readonly [readonly Verb[], readonly Verb[]] {
  const first: Partial<Record<InstanceStatus, Verb['name']>> = {
    faulted: 'retry',
    quarantined: 'retry',
    paused: 'continue',
  }
  const name = first[status]
  return [verbs.filter((verb) => verb.name === name), verbs.filter((verb) => verb.name !== name)]
}
