import { Button, Group, Modal, PasswordInput, Select, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { ProblemCard } from '../../ui/area.tsx'
import { roles } from './settings-queries.ts'

const SHORTEST = 12

export function NewUserDialog({ close }: { readonly close: () => void }) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [role, setRole] = useState<string>('operator')
  const client = useQueryClient()
  const make = useMutation({
    mutationFn: () => call('POST', '/users', { body: { name: name.trim().toLowerCase(), password, role } }),
    onSuccess: async () => {
      close()
      await client.invalidateQueries({ queryKey: ['users'] })
    },
  })
  return (
    <Modal opened onClose={close} title="New user" size="md">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          make.mutate()
        }}
      >
        <TextInput
          label="Name"
          value={name}
          maxLength={64}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          autoComplete="off"
          data-autofocus
        />
        <PasswordInput
          mt="sm"
          label="Password"
          description="Twelve characters or more. Hand it over; it can be changed at any time."
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          required
          autoComplete="new-password"
        />
        <Select
          mt="sm"
          label="Role"
          data={[...roles]}
          value={role}
          allowDeselect={false}
          onChange={(to) => setRole(to ?? 'viewer')}
        />
        {make.error !== null && <ProblemCard name="new-user" error={make.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            Leave it
          </Button>
          <Button type="submit" loading={make.isPending} disabled={name.trim() === '' || password.length < SHORTEST}>
            Make the user
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
