import { Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Pause, Play, Zap } from 'lucide-react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import type { Schedule } from '../../api/wire.ts'
import { MayButton } from '../../ui/may-button.tsx'
import { ScheduleMenu } from './schedule-menu.tsx'

interface Triggered {
  readonly outcome: string
  readonly reason: string | null
}

/** Pausing is taken back by one click, so nobody is asked; a run now is one instance. */
export function ScheduleButtons(props: { readonly schedule: Schedule; readonly size?: 'compact-xs' | 'xs' }) {
  const { schedule, size = 'compact-xs' } = props
  const client = useQueryClient()
  const run = useMutation({
    mutationFn: (verb: 'pause' | 'resume' | 'trigger') =>
      call<Triggered>('POST', `/schedules/${encodeURIComponent(schedule.id)}/${verb}`, { body: {} }),
    onSuccess: async (answer, verb) => {
      const told = {
        pause: 'Paused',
        resume: 'Active again',
        trigger: `${answer.outcome}${answer.reason ? `: ${answer.reason}` : ''}`,
      }
      notifications.show({ title: schedule.name ?? schedule.id, message: told[verb] })
      await client.invalidateQueries({ queryKey: ['schedules'] })
    },
    onError: (error) =>
      notifications.show({ color: 'danger', title: toProblem(error).title, message: toProblem(error).detail }),
  })
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      <MayButton
        size={size}
        variant="default"
        permission="schedules:operate"
        leftSection={schedule.paused ? <Play size={12} /> : <Pause size={11} fill="currentColor" strokeWidth={1} />}
        onClick={() => run.mutate(schedule.paused ? 'resume' : 'pause')}
      >
        {schedule.paused ? 'Resume' : 'Pause'}
      </MayButton>
      <MayButton
        size={size}
        variant="default"
        permission="schedules:operate"
        leftSection={<Zap size={12} />}
        onClick={() => run.mutate('trigger')}
      >
        Run now
      </MayButton>
      <ScheduleMenu schedule={schedule} />
    </Group>
  )
}
