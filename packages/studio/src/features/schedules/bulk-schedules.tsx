import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Pause, Play, X } from 'lucide-react'
import type { Schedule } from '../../api/wire.ts'
import { MayButton } from '../../ui/may-button.tsx'
import { changeMany, toldText } from './many-schedules.ts'
import classes from './schedules.module.css'

/** What can be done with several. Both are taken back by one click, so nobody is asked. */
export function BulkSchedules({ chosen, clear }: { readonly chosen: readonly Schedule[]; readonly clear: () => void }) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (verb: 'pause' | 'resume') =>
      changeMany(
        chosen.filter(({ paused }) => paused === (verb === 'resume')).map(({ id }) => id),
        verb,
      ),
    onSuccess: (told, verb) => {
      notifications.show({ message: toldText(told, verb) })
      clear()
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['schedules'] }),
  })
  const paused = chosen.filter((each) => each.paused).length
  const active = chosen.length - paused
  return (
    <div className={classes.bulk} role="toolbar" aria-label="Selected schedules">
      <strong>{chosen.length} selected</strong>
      <Group gap={6} ml="auto">
        <MayButton
          size="xs"
          variant="default"
          permission="schedules:operate"
          fault={active === 0 ? 'All of them are paused' : undefined}
          loading={change.isPending && change.variables === 'pause'}
          leftSection={<Pause size={12} fill="currentColor" strokeWidth={1} />}
          onClick={() => change.mutate('pause')}
        >
          Pause {active}
        </MayButton>
        <MayButton
          size="xs"
          variant="default"
          permission="schedules:operate"
          fault={paused === 0 ? 'None of them is paused' : undefined}
          loading={change.isPending && change.variables === 'resume'}
          leftSection={<Play size={13} />}
          onClick={() => change.mutate('resume')}
        >
          Resume {paused}
        </MayButton>
        <Button size="xs" variant="subtle" color="gray" leftSection={<X size={14} />} onClick={clear}>
          Clear
        </Button>
      </Group>
    </div>
  )
}
