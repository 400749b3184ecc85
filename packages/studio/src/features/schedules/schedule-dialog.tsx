import { Button, Group, JsonInput, Modal, NativeSelect, SegmentedControl, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { call } from '../../api/client.ts'
import { Problem } from '../../api/problem.ts'
import { definitionsQuery } from '../../api/queries.ts'
import type { Preview, Schedule } from '../../api/wire.ts'
import { ProblemCard } from '../../ui/area.tsx'
import { cronWords } from './cron-words.ts'
import { PreviewLines } from './preview-lines.tsx'
import { documentOf, formOf, MISFIRES, OVERLAPS, type ScheduleForm } from './schedule-form.ts'
import classes from './schedules.module.css'

const ZONES = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]

const KINDS = [
  { value: 'cron', label: 'Cron' },
  { value: 'interval', label: 'Interval' },
  { value: 'at', label: 'Once' },
]

/** Makes a schedule, or changes one. The next times are worked out by the server while somebody types. */
export function ScheduleDialog({ schedule, close }: { readonly schedule?: Schedule; readonly close: () => void }) {
  const [form, setForm] = useState(() => formOf(schedule?.document))
  const set = (change: Partial<ScheduleForm>): void => setForm((before) => ({ ...before, ...change }))
  const { data: workflows } = useQuery(definitionsQuery({ limit: 200 }))
  const client = useQueryClient()
  const zones = useId()
  const save = useMutation({
    mutationFn: async () => {
      const body = read(form, schedule?.document)
      if (schedule === undefined) return call<Schedule>('POST', '/schedules', { body })
      const path = `/schedules/${encodeURIComponent(schedule.id)}`
      return call<Schedule>('PUT', path, { body, headers: { 'if-match': schedule.etag } })
    },
    onSuccess: async ({ id, name }) => {
      close()
      notifications.show({ title: name ?? id, message: schedule === undefined ? 'Created' : 'Saved' })
      await client.invalidateQueries({ queryKey: ['schedules'] })
    },
  })
  const published = (workflows?.items ?? []).filter(({ version }) => version !== null)
  const options = published.map(({ id, name }) => ({ value: id, label: name === id ? id : `${name} (${id})` }))
  const chosen = options.some(({ value }) => value === form.definitionId) || form.definitionId === ''
  const text = (name: keyof ScheduleForm) => ({
    value: form[name],
    onChange: (event: { currentTarget: { value: string } }) => set({ [name]: event.currentTarget.value }),
  })
  return (
    <Modal opened onClose={close} title={schedule === undefined ? 'New schedule' : `Edit ${schedule.id}`} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Group grow align="flex-start">
          <TextInput
            label="Id"
            description="Small letters, digits and hyphens"
            required
            disabled={schedule !== undefined}
            {...text('id')}
            data-autofocus
          />
          <TextInput label="Name" description="May be left out" {...text('name')} />
        </Group>
        <NativeSelect
          mt="sm"
          label="Workflow to start"
          required
          data={[
            { value: '', label: 'Choose one' },
            ...(chosen ? [] : [{ value: form.definitionId, label: form.definitionId }]),
            ...options,
          ]}
          {...text('definitionId')}
        />
        <SegmentedControl
          mt="md"
          size="xs"
          aria-label="Kind of trigger"
          data={KINDS}
          value={form.kind}
          onChange={(kind) => set({ kind: kind as ScheduleForm['kind'] })}
        />
        {form.kind === 'cron' && (
          <Group grow mt="xs" align="flex-start">
            <TextInput
              label="Cron"
              description={cronWords(form.cron) ?? 'Five fields, or six with the second first'}
              required
              {...text('cron')}
            />
            <TextInput label="Time zone" description="Such as Europe/Berlin" required list={zones} {...text('zone')} />
          </Group>
        )}
        <datalist id={zones}>
          {ZONES.map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        {form.kind === 'interval' && (
          <TextInput mt="xs" label="Every" description="500ms, 30s, 5m, 2h, 7d" required {...text('interval')} />
        )}
        {form.kind === 'at' && (
          <TextInput
            mt="xs"
            label="At"
            description="With its zone, such as 2030-03-29T01:00:00Z"
            required
            {...text('at')}
          />
        )}
        <Group grow mt="sm" align="flex-start">
          <NativeSelect label="When times were missed" data={MISFIRES} {...text('misfire')} />
          <NativeSelect label="When an earlier run is not over" data={OVERLAPS} {...text('overlap')} />
        </Group>
        <JsonInput
          mt="sm"
          label="Input"
          description="JSON that each run is given. May be left out."
          autosize
          minRows={2}
          maxRows={10}
          validationError="This is no JSON"
          value={form.input}
          onChange={(input) => set({ input })}
        />
        <Times form={form} before={schedule?.document} />
        {save.error !== null && <ProblemCard name="schedule-save" error={save.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            Leave it
          </Button>
          <Button type="submit" loading={save.isPending} disabled={form.id.trim() === '' || form.definitionId === ''}>
            {schedule === undefined ? 'Create' : 'Save'}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}

function read(form: ScheduleForm, before: Schedule['document'] | undefined) {
  try {
    return documentOf(form, before)
  } catch {
    throw new Problem(0, { code: 'INPUT', title: 'The input is no JSON', detail: 'Correct it, or leave it empty.' })
  }
}

const nextTitle = (count: number | undefined): string =>
  count === undefined
    ? 'Next times'
    : count === 0
      ? 'It never fires'
      : count === 1
        ? 'It fires once'
        : `Next ${count} times`

/** What fires is not decided by names and inputs: only what decides it is asked about. */
function Times({ form, before }: { readonly form: ScheduleForm; readonly before: Schedule['document'] | undefined }) {
  const document = documentOf({ ...form, input: '', id: 'preview', name: '', definitionId: 'preview' }, before)
  const [settled] = useDebouncedValue(JSON.stringify(document), 300)
  const preview = useQuery({
    queryKey: ['schedules', 'preview-of', settled],
    queryFn: ({ signal }) =>
      call<Preview>('POST', '/schedules/preview', { query: { count: 10 }, body: JSON.parse(settled), signal }),
    retry: false,
  })
  return (
    <section aria-label="Next times" data-testid="schedule-preview">
      {preview.error !== null ? (
        <ProblemCard name="schedule-preview" error={preview.error} />
      ) : (
        <>
          <h3 className={classes.nextTimes}>{nextTitle(preview.data?.items.length)}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no pointer scrolls it too */}
          <div className={classes.nextList} tabIndex={0}>
            <PreviewLines items={preview.data?.items ?? []} />
          </div>
        </>
      )}
    </section>
  )
}
