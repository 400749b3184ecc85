import { useLocalStorage } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Pause, Play } from 'lucide-react'
import { useState } from 'react'
import { toProblem } from '../../api/problem.ts'
import { Area } from '../../ui/area.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { allSchedules, changeMany, count, toldText } from './many-schedules.ts'

/**
 * For maintenance: nothing starts by itself until it is taken back. Which ones were active is remembered in this browser, so that taking it back
 * leaves those alone that somebody had paused before.
 */
export function PauseAll() {
  const [open, setOpen] = useState(false)
  const [kept, keep] = useLocalStorage<readonly string[]>({ key: 'lockstep-paused-schedules', defaultValue: [] })
  const back = kept.length > 0
  return (
    <>
      <MayButton
        size="xs"
        variant="default"
        permission="schedules:operate"
        leftSection={back ? <Play size={13} /> : <Pause size={12} fill="currentColor" strokeWidth={1} />}
        onClick={() => setOpen(true)}
      >
        {back ? `Resume the ${kept.length.toLocaleString('en')} paused…` : 'Pause all…'}
      </MayButton>
      {open && (back ? <Back kept={kept} keep={keep} close={() => setOpen(false)} /> : null)}
      {open && (back ? null : <All keep={keep} close={() => setOpen(false)} />)}
    </>
  )
}

interface Dialog {
  readonly keep: (ids: readonly string[]) => void
  readonly close: () => void
}

function All({ keep, close }: Dialog) {
  const client = useQueryClient()
  const query = useQuery({
    queryKey: ['schedules', 'all-active'],
    queryFn: ({ signal }) => allSchedules(false, signal),
    staleTime: 0,
  })
  const ids = query.data?.items.map(({ id }) => id) ?? []
  const pause = useMutation({
    mutationFn: () => changeMany(ids, 'pause'),
    onSuccess: (told) => {
      keep(told.done)
      close()
      notifications.show({ title: 'Pause all', message: toldText(told, 'pause') })
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['schedules'] }),
  })
  return (
    <ReasonDialog
      title="Pause all schedules"
      effect={
        <Area name="all-schedules" query={query} rows={2}>
          {({ isWhole }) => (
            <p style={{ margin: 0 }}>
              <strong data-testid="pause-all-count">{count(ids.length)}</strong> {ids.length === 1 ? 'is' : 'are'}{' '}
              active and will let {ids.length === 1 ? 'its' : 'their'} times go by. What runs goes on. This browser
              remembers which these are, and offers to resume exactly them.
              {!isWhole && ' There are more than can be read at once: do it again for the rest.'}
            </p>
          )}
        </Area>
      }
      label={`Pause ${count(ids.length)}`}
      blocked={ids.length === 0}
      danger
      pending={pause.isPending}
      problem={pause.error === null ? undefined : toProblem(pause.error)}
      close={close}
      confirm={() => pause.mutate()}
    />
  )
}

function Back({ kept, keep, close }: Dialog & { readonly kept: readonly string[] }) {
  const client = useQueryClient()
  const resume = useMutation({
    mutationFn: () => changeMany(kept, 'resume'),
    onSuccess: (told) => {
      keep([])
      close()
      notifications.show({ title: 'Resume', message: toldText(told, 'resume') })
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['schedules'] }),
  })
  return (
    <ReasonDialog
      title="Resume what was paused"
      effect={
        <p style={{ margin: 0 }}>
          {count(kept.length)} that <em>Pause all</em> stopped from this browser fire again, from their next times on.
          Those that were paused before stay so.
        </p>
      }
      label={`Resume ${count(kept.length)}`}
      pending={resume.isPending}
      problem={resume.error === null ? undefined : toProblem(resume.error)}
      close={close}
      confirm={() => resume.mutate()}
    />
  )
}
