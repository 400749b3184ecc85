import { ActionIcon, Button, Group, Menu, Modal, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { CircleSlash, Copy, Download, Ellipsis, Pencil } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import type { Definition, GraphDocument } from '../../api/wire.ts'
import { ProblemCard } from '../../ui/area.tsx'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { useMay } from '../../ui/use-may.ts'
import { exportTo } from '../versions/export-text.ts'
import { RetractEffect } from './retract-effect.tsx'

const pathOf = (id: string): string => `/workflow-definitions/${encodeURIComponent(id)}`

/** What can be done with a workflow from the list. What is code is changed where it is written. */
export function DefinitionMenu({ definition }: { readonly definition: Definition }) {
  const { id, name, kind, version } = definition
  const [open, setOpen] = useState<'duplicate' | 'retract'>()
  const write = useMay('definitions:write')
  const publish = useMay('definitions:publish')
  const navigate = useNavigate()
  const code = kind === 'function' ? 'It is code' : undefined
  const download = (format: 'json' | 'yaml'): void =>
    void exportTo(id, version === null ? 'draft' : 'published', format).catch((error: unknown) =>
      notifications.show({ color: 'danger', title: toProblem(error).title, message: toProblem(error).detail }),
    )
  const items = [
    [
      'Edit',
      Pencil,
      code,
      () => void navigate({ to: '/definitions/$definitionId/design', params: { definitionId: id } }),
    ],
    ['Duplicate…', Copy, write.reason ?? code, () => setOpen('duplicate')],
    ['Export as JSON', Download, code, () => download('json')],
    ['Export as YAML', Download, code, () => download('yaml')],
    [
      'Retract…',
      CircleSlash,
      publish.reason ?? code ?? (version === null ? 'Nothing is published' : undefined),
      () => setOpen('retract'),
    ],
  ] as const
  const close = (): void => setOpen(undefined)
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size={26} aria-label={`More for ${name}`}>
            <Ellipsis size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {items.map(([label, Icon, why, run]) => (
            <Menu.Item
              key={label}
              leftSection={<Icon size={14} />}
              disabled={why !== undefined}
              title={why}
              onClick={run}
            >
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {open === 'duplicate' && <Duplicate definition={definition} close={close} />}
      {open === 'retract' && <Retract definition={definition} close={close} />}
    </>
  )
}

interface DialogProps {
  readonly definition: Definition
  readonly close: () => void
}

/** A draft of its own, with what the draft of the other says now. */
function Duplicate({ definition, close }: DialogProps) {
  const [id, setId] = useState(`${definition.id}-copy`)
  const client = useQueryClient()
  const navigate = useNavigate()
  const copy = useMutation({
    mutationFn: async () => {
      const { draft } = await call<{ draft: GraphDocument }>('GET', `${pathOf(definition.id)}/draft`)
      const body = { ...draft, id: id.trim(), name: `${draft.name ?? definition.id} (copy)` }
      return call('POST', '/workflow-definitions', { body })
    },
    onSuccess: async () => {
      close()
      await client.invalidateQueries({ queryKey: ['definitions'] })
      await navigate({ to: '/definitions/$definitionId/design', params: { definitionId: id.trim() } })
    },
  })
  return (
    <Modal opened onClose={close} title={`Duplicate ${definition.name}`} size="md">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          copy.mutate()
        }}
      >
        <TextInput
          label="Id of the copy"
          description="Small letters, digits and hyphens"
          required
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
          data-autofocus
        />
        {copy.error !== null && <ProblemCard name="duplicate" error={copy.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            Leave it
          </Button>
          <Button type="submit" loading={copy.isPending} disabled={id.trim() === ''}>
            Duplicate
          </Button>
        </Group>
      </form>
    </Modal>
  )
}

function Retract({ definition, close }: DialogProps) {
  const client = useQueryClient()
  const retract = useMutation({
    mutationFn: () => call('POST', `${pathOf(definition.id)}/retract`),
    onSuccess: async () => {
      close()
      notifications.show({
        title: definition.name,
        message: 'Retracted: it cannot be started until it is published again.',
      })
      await client.invalidateQueries({ queryKey: ['definitions'] })
    },
  })
  return (
    <ReasonDialog
      title={`Retract ${definition.name}`}
      effect={
        <>
          <p>
            Nothing starts it any more, by hand, by schedule or by event. What runs goes on. Publishing it again takes
            this back.
          </p>
          <RetractEffect id={definition.id} version={definition.version} />
        </>
      }
      label="Retract"
      danger
      pending={retract.isPending}
      problem={retract.error === null ? undefined : toProblem(retract.error)}
      close={close}
      confirm={() => retract.mutate()}
    />
  )
}
