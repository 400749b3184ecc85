import { Button, Group, Modal, Select, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { ProblemCard } from '../../ui/area.tsx'

const times = [
  { value: '1m', label: 'A minute' },
  { value: '10m', label: 'Ten minutes' },
  { value: '1h', label: 'An hour' },
  { value: '1d', label: 'A day' },
]

/** Opens a breaker by hand, for work on what is behind it. */
export function TripDialog(props: { readonly breakerKey?: string; readonly close: () => void }) {
  const [key, setKey] = useState(props.breakerKey ?? '')
  const [openFor, setOpenFor] = useState('10m')
  const [reason, setReason] = useState('')
  const client = useQueryClient()
  const trip = useMutation({
    mutationFn: () =>
      call('POST', `/circuit-breakers/${encodeURIComponent(key.trim())}/trip`, {
        body: { openFor, reason: reason.trim() },
      }),
    onSuccess: async () => {
      props.close()
      await client.invalidateQueries({ queryKey: ['breakers'] })
    },
  })
  return (
    <Modal opened onClose={props.close} title={props.breakerKey === undefined ? 'Open a breaker' : `Open ${key}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          trip.mutate()
        }}
      >
        <p>Steps that use it wait, and their attempts are not spent. When the time is over, one probe decides.</p>
        {props.breakerKey === undefined && (
          <TextInput
            label="Key"
            description="As the steps name it"
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
            required
            data-autofocus
          />
        )}
        <Select
          mt="sm"
          label="For"
          data={times}
          value={openFor}
          allowDeselect={false}
          onChange={(to) => setOpenFor(to ?? '10m')}
        />
        <Textarea
          mt="sm"
          label="Reason"
          description="Shown where it holds back, and kept with the record"
          autosize
          required
          maxLength={255}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {trip.error !== null && <ProblemCard name="trip" error={trip.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={props.close}>
            Leave it
          </Button>
          <Button
            type="submit"
            color="danger"
            loading={trip.isPending}
            disabled={key.trim() === '' || reason.trim() === ''}
          >
            Open it
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
