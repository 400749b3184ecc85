import { Button, Group, Modal, MultiSelect, Select, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import { ProblemCard } from '../../ui/area.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import classes from './settings.module.css'
import { type ApiKey, roles } from './settings-queries.ts'

const lives = [
  { value: '', label: 'Never' },
  { value: '7d', label: 'In 7 days' },
  { value: '30d', label: 'In 30 days' },
  { value: '90d', label: 'In 90 days' },
  { value: '366d', label: 'In a year' },
]

export function NewKeyDialog({ close }: { readonly close: () => void }) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<string>('viewer')
  const [permissions, setPermissions] = useState<string[]>([])
  const [expiresIn, setExpiresIn] = useState('90d')
  const { data: caller } = useQuery(sessionQuery())
  const client = useQueryClient()
  const make = useMutation({
    mutationFn: () =>
      call<ApiKey & { readonly key: string }>('POST', '/api-keys', {
        body: {
          ...{ name: name.trim(), role },
          ...(permissions.length === 0 ? {} : { permissions }),
          ...(expiresIn === '' ? {} : { expiresIn }),
        },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['api-keys'] }),
  })
  if (make.data !== undefined) {
    const { key } = make.data
    return (
      <Modal opened onClose={close} title={`Key ${make.data.name}`} size="lg" closeOnClickOutside={false}>
        <p>This is the only time that the key is shown. Put it where your program reads it.</p>
        <div className={`${classes.secret} mono`}>
          <span data-testid="new-key">{key}</span>
          <CopyButton text={key} what="key" />
        </div>
        <Group justify="flex-end">
          <Button onClick={close}>I have it</Button>
        </Group>
      </Modal>
    )
  }
  return (
    <Modal opened onClose={close} title="New API key" size="md">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          make.mutate()
        }}
      >
        <TextInput
          label="Name"
          description="What it is for"
          value={name}
          maxLength={100}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          data-autofocus
        />
        <Select
          mt="sm"
          label="Role"
          data={[...roles]}
          value={role}
          allowDeselect={false}
          onChange={(to) => setRole(to ?? 'viewer')}
        />
        <MultiSelect
          mt="sm"
          label="Only for"
          description="Narrows what the role may do. Empty: everything that the role may do."
          data={[...(caller?.permissions ?? [])]}
          value={permissions}
          onChange={setPermissions}
          searchable
          clearable
        />
        <Select
          mt="sm"
          label="Expires"
          data={lives}
          value={expiresIn}
          allowDeselect={false}
          onChange={(to) => setExpiresIn(to ?? '')}
        />
        {make.error !== null && <ProblemCard name="new-key" error={make.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            Leave it
          </Button>
          <Button type="submit" loading={make.isPending} disabled={name.trim() === ''}>
            Make the key
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
