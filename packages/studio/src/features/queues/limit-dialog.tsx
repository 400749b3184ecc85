import { Button, Group, Modal, NumberInput, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { ProblemCard } from '../../ui/area.tsx'
import type { StepLimit } from './queues-queries.ts'

const MOST = 100_000

export function LimitDialog({ limit, close }: { readonly limit: StepLimit; readonly close: () => void }) {
  const [concurrency, setConcurrency] = useState<string | number>(limit.concurrency ?? '')
  const [rate, setRate] = useState<string | number>(limit.rate?.limit ?? '')
  const [per, setPer] = useState(limit.rate === null ? '1m' : `${limit.rate.perMs}ms`)
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: () =>
      call('PUT', `/limits/${encodeURIComponent(limit.key)}`, {
        body: {
          ...(concurrency === '' ? {} : { concurrency: Number(concurrency) }),
          ...(rate === '' ? {} : { rate: { limit: Number(rate), per: per.trim() } }),
        },
      }),
    onSuccess: async () => {
      close()
      await client.invalidateQueries({ queryKey: ['limits'] })
    },
  })
  return (
    <Modal opened onClose={close} title={`Limit ${limit.key}`} size="md">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <p>Counts on all nodes from the next attempt on, instead of what the steps say.</p>
        <NumberInput
          label="Attempts at once"
          placeholder="No bound"
          min={1}
          max={MOST}
          value={concurrency}
          onChange={setConcurrency}
          data-autofocus
        />
        <Group grow mt="sm" align="flex-start">
          <NumberInput
            label="Attempts that may begin"
            placeholder="No bound"
            min={1}
            max={MOST}
            value={rate}
            onChange={setRate}
          />
          <TextInput label="In any" value={per} onChange={(event) => setPer(event.currentTarget.value)} />
        </Group>
        {save.error !== null && <ProblemCard name="limit" error={save.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            Leave it
          </Button>
          <Button type="submit" loading={save.isPending} disabled={concurrency === '' && rate === ''}>
            Set it
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
