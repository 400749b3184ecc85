import { Autocomplete, Button, Group, Menu, Modal, Select, Textarea } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { BellOff, BellRing, ChevronDown, Eye, EyeOff, UserPlus, UserRound, UserX } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import { sessionQuery } from '../../api/session.ts'
import type { IncidentGroup } from '../../api/wire.ts'
import { ProblemCard } from '../../ui/area.tsx'
import { useMay } from '../../ui/use-may.ts'
import { muteTimes } from './care.ts'

interface Care {
  readonly acknowledged?: boolean
  readonly assignee?: string | null
  readonly mute?: string | null
  readonly note?: string
}

/** Tells everybody: what was said stands on the page of each. */
function useTend({ fingerprint }: IncidentGroup, done?: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (care: Care) =>
      call<IncidentGroup>('POST', `/incidents/groups/${encodeURIComponent(fingerprint)}/tend`, { body: care }),
    onSuccess: async () => {
      done?.()
      await client.invalidateQueries({ queryKey: ['incidents'] })
    },
  })
}

/** Who sees to it, and whether it is to be quiet. What is taken back by another click asks nothing. */
export function CareMenu({ group }: { readonly group: IncidentGroup }) {
  const [open, setOpen] = useState<'assign' | 'mute'>()
  const { reason } = useMay('incidents:resolve')
  const { data: caller } = useQuery(sessionQuery())
  const tend = useTend(group)
  const say = (care: Care): void =>
    tend.mutate(care, {
      onError: (error) =>
        notifications.show({ color: 'danger', title: toProblem(error).title, message: toProblem(error).detail }),
    })
  const me = caller === undefined || caller.kind === 'anonymous' ? undefined : caller.name
  const items = [
    group.acknowledgedAt === null
      ? (['Acknowledge', Eye, () => say({ acknowledged: true })] as const)
      : (['Take the acknowledgement back', EyeOff, () => say({ acknowledged: false })] as const),
    ...(me === undefined || group.assignee === me
      ? []
      : [['Assign to me', UserRound, () => say({ assignee: me })] as const]),
    ['Assign to somebody…', UserPlus, () => setOpen('assign')] as const,
    ...(group.assignee === null ? [] : [['Assign to nobody', UserX, () => say({ assignee: null })] as const]),
    group.mutedUntil === null
      ? (['Mute…', BellOff, () => setOpen('mute')] as const)
      : (['Unmute', BellRing, () => say({ mute: null })] as const),
  ]
  const close = (): void => setOpen(undefined)
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button size="xs" variant="default" rightSection={<ChevronDown size={14} />} loading={tend.isPending}>
            Look after
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {items.map(([label, Icon, act]) => (
            <Menu.Item
              key={label}
              leftSection={<Icon size={14} />}
              disabled={reason !== undefined}
              title={reason}
              onClick={act}
            >
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {open === 'assign' && <AssignDialog group={group} me={me} close={close} />}
      {open === 'mute' && <MuteDialog group={group} close={close} />}
    </>
  )
}

const noteOf = (note: string): Care => (note.trim() === '' ? {} : { note: note.trim() })

interface DialogProps {
  readonly group: IncidentGroup
  readonly close: () => void
}

function AssignDialog({ group, me, close }: DialogProps & { readonly me: string | undefined }) {
  const [person, setPerson] = useState('')
  const [note, setNote] = useState('')
  const tend = useTend(group, close)
  const known = [me, group.assignee, group.acknowledgedBy].filter((each) => typeof each === 'string')
  return (
    <Modal opened onClose={close} title="Assign to somebody">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (person.trim() !== '') tend.mutate({ assignee: person.trim(), ...noteOf(note) })
        }}
      >
        <Autocomplete
          label="Person"
          description="A name that the others know"
          data={[...new Set(known)]}
          value={person}
          onChange={setPerson}
          maxLength={255}
          required
          data-autofocus
        />
        <Note value={note} change={setNote} />
        <End label="Assign" ready={person.trim() !== ''} tend={tend} close={close} />
      </form>
    </Modal>
  )
}

function MuteDialog({ group, close }: DialogProps) {
  const [mute, setMute] = useState<string>('8h')
  const [note, setNote] = useState('')
  const tend = useTend(group, close)
  return (
    <Modal
      opened
      onClose={close}
      title={`Mute ${group.open.toLocaleString('en')} ${group.open === 1 ? 'incident' : 'incidents'}`}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          tend.mutate({ mute, ...noteOf(note) })
        }}
      >
        <p>
          They stay open and listed, and no longer need attention. They come back when the time is over, or earlier when
          a version fails so that is published from now on.
        </p>
        <Select
          mt="sm"
          label="For"
          data={[...muteTimes]}
          value={mute}
          allowDeselect={false}
          onChange={(to) => setMute(to ?? '8h')}
        />
        <Note value={note} change={setNote} />
        <End label="Mute" ready tend={tend} close={close} />
      </form>
    </Modal>
  )
}

const Note = ({ value, change }: { readonly value: string; readonly change: (to: string) => void }) => (
  <Textarea
    mt="sm"
    label="Note"
    description="Shown with the group and kept with the record. May be left out."
    autosize
    maxLength={255}
    value={value}
    onChange={(event) => change(event.currentTarget.value)}
  />
)

function End(props: {
  readonly label: string
  readonly ready: boolean
  readonly tend: ReturnType<typeof useTend>
  readonly close: () => void
}) {
  return (
    <>
      {props.tend.error !== null && <ProblemCard name="care" error={props.tend.error} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={props.close}>
          Leave it
        </Button>
        <Button type="submit" loading={props.tend.isPending} disabled={!props.ready}>
          {props.label}
        </Button>
      </Group>
    </>
  )
}
