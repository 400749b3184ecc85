import { Button, Group, Modal, Select, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { definitionsQuery } from '../../api/queries.ts'
import { ProblemCard } from '../../ui/area.tsx'

const ends = ['completed', 'faulted', 'cancelled', 'terminated', 'unresolved']

/** Keeps what ended in one way for a time, or holds everything of a workflow. */
export function NewRuleDialog({ close }: { readonly close: () => void }) {
  const [kind, setKind] = useState<string>('keep')
  const [definitionId, setDefinitionId] = useState<string | null>(null)
  const [status, setStatus] = useState('completed')
  const [keep, setKeep] = useState('30d')
  const [reason, setReason] = useState('')
  const { data: definitions } = useQuery(definitionsQuery({ limit: 200 }))
  const client = useQueryClient()
  const scope = definitionId === null ? {} : { definitionId }
  const save = useMutation({
    mutationFn: () =>
      kind === 'keep'
        ? call('PUT', '/retention/rules', { body: { ...scope, status, keep: keep.trim() } })
        : call('PUT', '/retention/holds', { body: { ...scope, reason: reason.trim() } }),
    onSuccess: async () => {
      close()
      await client.invalidateQueries({ queryKey: ['retention'] })
    },
  })
  return (
    <Modal opened onClose={close} title="New rule" size="md">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Select
          label="Does"
          data={[
            { value: 'keep', label: 'Keep for a time, then delete' },
            { value: 'hold', label: 'Hold: delete nothing' },
          ]}
          value={kind}
          allowDeselect={false}
          onChange={(to) => setKind(to ?? 'keep')}
        />
        <Select
          mt="sm"
          label="Of"
          placeholder="Everything"
          searchable
          clearable
          data={definitions?.items.map(({ id }) => id) ?? []}
          value={definitionId}
          onChange={setDefinitionId}
        />
        {kind === 'keep' ? (
          <>
            <Select
              mt="sm"
              label="Status"
              data={ends}
              value={status}
              allowDeselect={false}
              onChange={(to) => setStatus(to ?? 'completed')}
            />
            <TextInput
              mt="sm"
              label="Kept for"
              description="12h, 30d, or forever: from its end on"
              value={keep}
              onChange={(event) => setKeep(event.currentTarget.value)}
              required
            />
          </>
        ) : (
          <TextInput
            mt="sm"
            label="Reason"
            value={reason}
            maxLength={200}
            onChange={(event) => setReason(event.currentTarget.value)}
            required
          />
        )}
        {save.error !== null && <ProblemCard name="new-rule" error={save.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            Leave it
          </Button>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
