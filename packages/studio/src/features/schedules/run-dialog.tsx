import { Button, Group, Modal } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { Schedule } from '../../api/wire.ts'
import { jsonIn, jsonText, ValueEditor } from '../../form/value-editor.tsx'
import { ProblemCard } from '../../ui/area.tsx'

/** One run now, with another input than its own. */
export function RunDialog({ schedule, close }: { readonly schedule: Schedule; readonly close: () => void }) {
  const [text, setText] = useState(() => jsonText(schedule.document.input ?? {}))
  const input = jsonIn(text)
  const client = useQueryClient()
  const run = useMutation({
    mutationFn: () =>
      call<{ outcome: string; reason: string | null }>(
        'POST',
        `/schedules/${encodeURIComponent(schedule.id)}/trigger`,
        { body: { input } },
      ),
    onSuccess: async ({ outcome, reason }) => {
      close()
      notifications.show({ title: schedule.name ?? schedule.id, message: reason ? `${outcome}: ${reason}` : outcome })
      await client.invalidateQueries({ queryKey: ['schedules'] })
    },
  })
  return (
    <Modal opened onClose={close} title={`Run ${schedule.name ?? schedule.id} now`} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          run.mutate()
        }}
      >
        <p style={{ marginTop: 0 }}>One run beside its times, with this input. Its own stays as it is.</p>
        <ValueEditor label="Input" schema={undefined} text={text} onChange={setText} />
        {run.error !== null && <ProblemCard name="run-now" error={run.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            Leave it
          </Button>
          <Button type="submit" loading={run.isPending} disabled={input === undefined}>
            Run it
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
