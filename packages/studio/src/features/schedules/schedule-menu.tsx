import { ActionIcon, Menu } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, History, Pencil, SkipForward, Trash2, Zap } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import type { Schedule } from '../../api/wire.ts'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { useMay } from '../../ui/use-may.ts'
import { BackfillDialog } from './backfill-dialog.tsx'
import { RunDialog } from './run-dialog.tsx'
import { ScheduleDialog } from './schedule-dialog.tsx'
import { SkipDialog } from './skip-dialog.tsx'
import { cannotSkip } from './skip-next.ts'

/** What is done less often. A schedule that a workflow or a job brought is changed there. */
export function ScheduleMenu({ schedule }: { readonly schedule: Schedule }) {
  const [open, setOpen] = useState<'run' | 'skip' | 'edit' | 'backfill' | 'delete'>()
  const write = useMay('schedules:write')
  const operate = useMay('schedules:operate')
  const owned = schedule.owner === null ? undefined : `${schedule.owner} brought it: change it there.`
  const unskippable = cannotSkip(schedule.document, schedule.owner, schedule.nextAt)
  const items = [
    ['run', 'Run with other input…', Zap, operate.reason],
    ['skip', 'Skip the next run…', SkipForward, write.reason ?? unskippable],
    ['edit', 'Edit…', Pencil, write.reason ?? owned],
    ['backfill', 'Backfill…', History, operate.reason],
    ['delete', 'Delete…', Trash2, write.reason ?? owned],
  ] as const
  const close = (): void => setOpen(undefined)
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size={26} aria-label={`More for ${schedule.name ?? schedule.id}`}>
            <Ellipsis size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {items.map(([what, label, Icon, why]) => (
            <Menu.Item
              key={what}
              leftSection={<Icon size={14} />}
              disabled={why !== undefined}
              title={why}
              onClick={() => setOpen(what)}
            >
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {open === 'run' && <RunDialog schedule={schedule} close={close} />}
      {open === 'skip' && <SkipDialog schedule={schedule} close={close} />}
      {open === 'edit' && <ScheduleDialog schedule={schedule} close={close} />}
      {open === 'backfill' && <BackfillDialog schedule={schedule} close={close} />}
      {open === 'delete' && <DeleteSchedule schedule={schedule} close={close} />}
    </>
  )
}

function DeleteSchedule({ schedule, close }: { readonly schedule: Schedule; readonly close: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () =>
      call('DELETE', `/schedules/${encodeURIComponent(schedule.id)}`, { headers: { 'if-match': schedule.etag } }),
    onSuccess: async () => {
      close()
      notifications.show({ title: schedule.name ?? schedule.id, message: 'Deleted' })
      await navigate({ to: '/schedules' })
      await client.invalidateQueries({ queryKey: ['schedules'] })
    },
  })
  return (
    <ReasonDialog
      title={`Delete ${schedule.name ?? schedule.id}`}
      effect="It never fires again. Runs that are under way go on; those that wait for their turn do not start."
      label="Delete"
      typed={schedule.id}
      danger
      pending={remove.isPending}
      problem={remove.error === null ? undefined : toProblem(remove.error)}
      close={close}
      confirm={() => remove.mutate()}
    />
  )
}
