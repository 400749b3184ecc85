import { Button, Group, Modal } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { Instance } from '../../api/wire.ts'
import { jsonIn, jsonText, ValueEditor } from '../../form/value-editor.tsx'
import { ProblemCard } from '../../ui/area.tsx'

/** A copy that goes on from a fact, with the same input or another. */
export function ForkDialog(props: {
  readonly instance: Instance
  readonly schema: unknown
  readonly at: number
  readonly close: () => void
}) {
  const { instance, at, close } = props
  const given = jsonText(instance.input)
  const [text, setText] = useState(given)
  const input = jsonIn(text)
  const navigate = useNavigate()
  const fork = useMutation({
    mutationFn: () =>
      call<Instance>('POST', `/workflow-instances/${instance.id}/fork`, {
        body: { at, ...(text === given ? {} : { input }) },
      }),
    onSuccess: (copy) => {
      close()
      notifications.show({ message: `A copy goes on from fact ${at}` })
      void navigate({ to: '/instances/$instanceId', params: { instanceId: copy.id }, search: {} })
    },
  })
  return (
    <Modal opened onClose={close} title={`Fork from fact ${at}`} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          fork.mutate()
        }}
      >
        <p style={{ marginTop: 0 }}>
          A new instance begins as this one was then, and goes on by itself. What was done before is not done again;
          this one stays as it is.
        </p>
        <ValueEditor label="Input" schema={props.schema} text={text} onChange={setText} />
        {fork.error !== null && <ProblemCard name="fork" error={fork.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            Leave it
          </Button>
          <Button type="submit" loading={fork.isPending} disabled={input === undefined}>
            Fork
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
