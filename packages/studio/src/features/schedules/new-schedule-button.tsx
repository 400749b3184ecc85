import { Plus } from 'lucide-react'
import { useState } from 'react'
import { MayButton } from '../../ui/may-button.tsx'
import { ScheduleDialog } from './schedule-dialog.tsx'

export function NewScheduleButton() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <MayButton size="xs" permission="schedules:write" leftSection={<Plus size={14} />} onClick={() => setOpen(true)}>
        New schedule
      </MayButton>
      {open && <ScheduleDialog close={() => setOpen(false)} />}
    </>
  )
}
