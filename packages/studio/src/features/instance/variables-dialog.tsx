import { Button, Group, Modal, Textarea } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { call } from '../../api/client.ts'
import type { GraphDocument, Instance, StateAt } from '../../api/wire.ts'
import { jsonIn, jsonText, ValueEditor } from '../../form/value-editor.tsx'
import { ProblemCard } from '../../ui/area.tsx'
import { changedVariables, variablesSchema } from './changed-variables.ts'

interface VariablesProps {
  readonly instance: Instance
  readonly state: StateAt | undefined
  readonly document: GraphDocument | undefined
  /** Retries from what failed, or from `step`. Absent: only the variables change. */
  readonly retry?: { readonly step?: string; readonly name?: string }
  readonly close: () => void
}

/** Other values for variables, on their own or with a retry. */
export function VariablesDialog({ instance, state, document, retry, close }: VariablesProps) {
  const before = state?.variables ?? instance.variables ?? {}
  const [text, setText] = useState(() => jsonText(before))
  const [note, setNote] = useState('')
  const schema = useMemo(() => variablesSchema(document?.variables), [document])
  const value = jsonIn(text)
  const changed = changedVariables(before, value)
  const names = Object.keys(changed)
  const client = useQueryClient()
  const send = useMutation({
    mutationFn: () =>
      retry === undefined
        ? call('POST', `/workflow-instances/${instance.id}/variables`, { body: { variables: changed } })
        : call('POST', `/workflow-instances/${instance.id}/retry`, {
            body: {
              ...(retry.step === undefined ? {} : { step: retry.step }),
              ...(names.length === 0 ? {} : { variables: changed }),
              ...(note.trim() === '' ? {} : { note: note.trim() }),
            },
          }),
    onSuccess: async () => {
      close()
      notifications.show({ message: `${retry === undefined ? names.join(', ') : 'Retry'}: the server has taken it up` })
      await client.invalidateQueries({ queryKey: ['instance', instance.id] })
    },
  })
  const verb = retry === undefined ? 'Change' : 'Retry'
  return (
    <Modal
      opened
      onClose={close}
      title={retry === undefined ? 'Change variables' : `Retry from ${retry.name ?? 'what failed'}`}
      size={schema === undefined ? 'lg' : 'xl'}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          send.mutate()
        }}
      >
        {retry !== undefined && (
          <p style={{ marginTop: 0 }}>
            {retry.step === undefined
              ? 'It goes on from the step that failed. What was done before stays done.'
              : 'What was recorded since this step began is done again.'}
          </p>
        )}
        <ValueEditor label="Variables" schema={schema} text={text} onChange={setText} />
        {retry !== undefined && (
          <Textarea
            mt="sm"
            label="Note"
            description="Goes to the incidents that this resolves. May be left out."
            autosize
            maxLength={255}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
        )}
        {send.error !== null && <ProblemCard name="variables" error={send.error} />}
        <Group justify="flex-end" mt="md">
          <span className="small muted" style={{ marginRight: 'auto' }}>
            {names.length === 0 ? 'No variable changes' : `Changes ${names.join(', ')}`}
          </span>
          <Button variant="default" onClick={close}>
            Leave it
          </Button>
          <Button
            type="submit"
            loading={send.isPending}
            disabled={value === undefined || (retry === undefined && names.length === 0)}
          >
            {verb}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
