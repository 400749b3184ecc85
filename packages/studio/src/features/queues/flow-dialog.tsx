import { Button, Group, JsonInput, Modal } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { ProblemCard } from '../../ui/area.tsx'
import type { FlowPolicy } from './queues-queries.ts'

export function FlowDialog({ policy, close }: { readonly policy: FlowPolicy; readonly close: () => void }) {
  const [text, setText] = useState(JSON.stringify(policy.policy ?? {}, undefined, 2))
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: async () =>
      call('PUT', `/flow-policies/${encodeURIComponent(policy.definitionId)}`, {
        body: JSON.parse(text || '{}'),
        headers: { 'if-match': policy.etag },
      }),
    onSuccess: async () => {
      close()
      await client.invalidateQueries({ queryKey: ['flow'] })
    },
  })
  return (
    <Modal opened onClose={close} title={`How starts of ${policy.definitionId} are held back`} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <p>It counts for starts that wait already as well. {'{}'} holds nothing back.</p>
        <JsonInput
          label="Policy"
          description="singleton, concurrency, rate, throttle, debounce, batch, priority, ageing"
          autosize
          minRows={6}
          validationError="This is not JSON"
          value={text}
          onChange={setText}
          styles={{ input: { fontFamily: 'var(--mono)', fontSize: 12.5 } }}
          data-autofocus
        />
        {save.error !== null && <ProblemCard name="flow" error={save.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            Leave it
          </Button>
          <Button type="submit" loading={save.isPending}>
            Put in force
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
