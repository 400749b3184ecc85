import { Button, Group, Modal, NativeSelect, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { serverNow } from '../../api/server-time.ts'
import type { Preview, Schedule } from '../../api/wire.ts'
import { ProblemCard } from '../../ui/area.tsx'
import { PreviewLines } from './preview-lines.tsx'

const DAY_MS = 86_400_000
/** As many as one request runs. */
const MOST = 1_000
const SHOWN = 5

interface Filled {
  readonly started: number
  readonly queued: number
  readonly existing: number
  readonly moreFrom: string | null
}

/** Runs what lies in a span of the past and never ran. Which times those are is shown before. */
export function BackfillDialog({ schedule, close }: { readonly schedule: Schedule; readonly close: () => void }) {
  const [from, setFrom] = useState(() => minuteText(serverNow() - DAY_MS))
  const [to, setTo] = useState(() => minuteText(serverNow()))
  const [overlap, setOverlap] = useState('queue')
  const span = spanOf(from, to)
  const path = `/schedules/${encodeURIComponent(schedule.id)}`
  const preview = useQuery({
    queryKey: ['schedules', 'backfill', schedule.id, span],
    queryFn: ({ signal }) =>
      call<Preview>('GET', `${path}/preview`, { query: { from: justBefore(span!.from), count: MOST }, signal }),
    enabled: span !== undefined,
    retry: false,
  })
  const lines = (preview.data?.items ?? []).filter(
    ({ at, status }) => status === 'fires' && span !== undefined && at >= span.from && at < span.to,
  )
  const client = useQueryClient()
  const fill = useMutation({
    mutationFn: () => call<Filled>('POST', `${path}/backfill`, { body: { ...span, overlap, limit: MOST } }),
    onSuccess: async ({ started, queued, existing, moreFrom }) => {
      close()
      const rest = moreFrom === null ? '' : ` There are more, from ${moreFrom} on.`
      const message = `${started} started, ${queued} wait their turn, ${existing} had run before.${rest}`
      notifications.show({ title: schedule.name ?? schedule.id, message })
      await client.invalidateQueries({ queryKey: ['schedules'] })
    },
  })
  return (
    <Modal opened onClose={close} title={`Backfill ${schedule.name ?? schedule.id}`} size="md">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          fill.mutate()
        }}
      >
        <p>Runs the times in this span that never ran, oldest first. What has run is not run again.</p>
        <Group grow align="flex-start">
          <TextInput
            type="datetime-local"
            label="From (UTC)"
            value={from}
            onChange={(event) => setFrom(event.currentTarget.value)}
            data-autofocus
          />
          <TextInput
            type="datetime-local"
            label="Up to (UTC)"
            value={to}
            error={span === undefined ? 'Later than the beginning' : undefined}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
        </Group>
        <NativeSelect
          mt="sm"
          label="Runs"
          data={[
            { value: 'queue', label: 'One after another' },
            { value: 'allow', label: 'All at once' },
          ]}
          value={overlap}
          onChange={(event) => setOverlap(event.currentTarget.value)}
        />
        <section aria-label="Times in this span" data-testid="backfill-preview">
          <p className="small muted">
            {lines.length >= MOST ? `${MOST} or more` : lines.length} {lines.length === 1 ? 'time' : 'times'} in this
            span
          </p>
          <PreviewLines items={lines.slice(0, SHOWN)} />
        </section>
        {(preview.error ?? fill.error) !== null && <ProblemCard name="backfill" error={preview.error ?? fill.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            Leave it
          </Button>
          <Button type="submit" loading={fill.isPending} disabled={span === undefined || lines.length === 0}>
            Run them
          </Button>
        </Group>
      </form>
    </Modal>
  )
}

/** A preview tells what comes after an instant; what is filled in begins with it. */
const justBefore = (at: string): string => new Date(Date.parse(at) - 1).toISOString()

const minuteText = (at: number): string => new Date(at).toISOString().slice(0, 16)

function spanOf(from: string, to: string): { readonly from: string; readonly to: string } | undefined {
  const [begin, end] = [Date.parse(`${from}Z`), Date.parse(`${to}Z`)]
  if (!(begin < end)) return undefined
  return { from: new Date(begin).toISOString(), to: new Date(end).toISOString() }
}
