import { Button, Group, Modal, PasswordInput, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { ProblemCard } from '../../ui/area.tsx'
import type { Secret } from './settings-queries.ts'

const SHORTEST = 6

/** Puts a value, of a new secret or of the one that is given. Nothing shows it again. */
export function SecretDialog({ secret, close }: { readonly secret?: Secret; readonly close: () => void }) {
  const given = secret?.name
  const [name, setName] = useState(given ?? '')
  const [hosts, setHosts] = useState(secret?.hosts.join(', ') ?? '')
  const [value, setValue] = useState('')
  const client = useQueryClient()
  const put = useMutation({
    mutationFn: () => {
      const listed = hosts.split(/[\s,]+/).filter((each) => each !== '')
      // A name that happens to be there keeps its hosts, unless others are said.
      const wanted = secret === undefined && listed.length === 0 ? {} : { hosts: listed }
      return call('PUT', `/secrets/${encodeURIComponent(name.trim())}`, { body: { value, ...wanted } })
    },
    onSuccess: async () => {
      close()
      notifications.show({ title: name.trim(), message: 'Sealed. Steps use it from their next attempt on.' })
      await client.invalidateQueries({ queryKey: ['secrets'] })
    },
  })
  return (
    <Modal opened onClose={close} title={given === undefined ? 'New secret' : `New value of ${given}`} size="md">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          put.mutate()
        }}
      >
        {given === undefined && (
          <TextInput
            label="Name"
            description="Lower case with dashes. One that is there gets a new value."
            placeholder="billing-token"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            required
            autoComplete="off"
            data-autofocus
          />
        )}
        <PasswordInput
          mt="sm"
          label="Value"
          description="Six characters or more. It cannot be read back."
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
          required
          autoComplete="new-password"
          {...(given === undefined ? {} : { 'data-autofocus': true })}
        />
        <TextInput
          mt="sm"
          label="Hosts"
          description="Where it may be sent. Steps that send it elsewhere fail; with none it may go anywhere."
          placeholder="api.example.org, *.example.net"
          value={hosts}
          onChange={(event) => setHosts(event.currentTarget.value)}
          autoComplete="off"
        />
        {put.error !== null && <ProblemCard name="secret" error={put.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            Leave it
          </Button>
          <Button type="submit" loading={put.isPending} disabled={name.trim() === '' || value.length < SHORTEST}>
            Seal it
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
