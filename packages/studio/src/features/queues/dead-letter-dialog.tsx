import { Button, Code, Group, Modal } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { jsonIn, jsonText, ValueEditor } from '../../form/value-editor.tsx'
import { Area, ProblemCard } from '../../ui/area.tsx'
import { deadLetterQuery, type WholeDeadLetter } from './queues-queries.ts'

/** What is in it, to be mended and tried again, or thrown away. */
export function DeadLetterDialog({ id, close }: { readonly id: string; readonly close: () => void }) {
  const query = useQuery(deadLetterQuery(id))
  return (
    <Modal opened onClose={close} title="Dead letter" size="lg">
      <Area name="dead-letter" query={query} rows={3}>
        {(letter) => <Mend letter={letter} close={close} />}
      </Area>
    </Modal>
  )
}

function Mend({ letter, close }: { readonly letter: WholeDeadLetter; readonly close: () => void }) {
  const given = letter.raw === null ? jsonText(letter.input) : ''
  const [text, setText] = useState(given)
  const input = jsonIn(text)
  const isMissing = letter.raw !== null && text.trim() === ''
  const [sure, setSure] = useState(false)
  const client = useQueryClient()
  const navigate = useNavigate()
  const settled = () => client.invalidateQueries({ queryKey: ['dead-letters'] })
  const retry = useMutation({
    mutationFn: () =>
      call<{ readonly instanceId: string }>('POST', `/dead-letters/${letter.id}/retry`, {
        body: text === given ? {} : { input },
      }),
    onSuccess: async ({ instanceId }) => {
      close()
      notifications.show({ message: 'Its workflow has started' })
      await settled()
      void navigate({ to: '/instances/$instanceId', params: { instanceId }, search: {} })
    },
  })
  const discard = useMutation({
    mutationFn: () => call('DELETE', `/dead-letters/${letter.id}`),
    onSuccess: async () => {
      close()
      notifications.show({ message: 'The dead letter is gone' })
      await settled()
    },
  })
  const problem = retry.error ?? discard.error
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        retry.mutate()
      }}
    >
      <p style={{ marginTop: 0 }}>
        It came from <Code>{letter.source}</Code> for <Code>{letter.definitionId}</Code> and could not start it:{' '}
        {letter.reason}
      </p>
      {letter.raw !== null && (
        <>
          <p>As it came:</p>
          <Code block>{readable(letter.raw)}</Code>
        </>
      )}
      <ValueEditor label="Input" schema={undefined} text={text} onChange={setText} />
      {problem !== null && <ProblemCard name="dead-letter" error={problem} />}
      <Group justify="space-between" mt="md">
        <Button
          variant={sure ? 'filled' : 'default'}
          color="red"
          loading={discard.isPending}
          onClick={() => (sure ? discard.mutate() : setSure(true))}
        >
          {sure ? 'Throw away for good' : 'Throw away…'}
        </Button>
        <Group>
          <Button variant="default" onClick={close}>
            Leave it
          </Button>
          <Button type="submit" loading={retry.isPending} disabled={input === undefined || isMissing}>
            Start its workflow
          </Button>
        </Group>
      </Group>
    </form>
  )
}

const SHOWN = 4_000

/** Bytes as text, what is none as a box each. */
function readable(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))
  const text = new TextDecoder().decode(bytes.subarray(0, SHOWN))
  return bytes.length > SHOWN ? `${text}…` : text
}
