import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import { schedulePreviewQuery } from '../../api/queries.ts'
import type { Schedule } from '../../api/wire.ts'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { When } from '../../ui/time.tsx'
import { withoutTime } from './skip-next.ts'

/** Leaves the next time out, and says which is the next then. */
export function SkipDialog({ schedule, close }: { readonly schedule: Schedule; readonly close: () => void }) {
  const { id, name, document, etag } = schedule
  const preview = useQuery(schedulePreviewQuery(id))
  const [first, second] = (preview.data?.items ?? []).filter(({ status }) => status === 'fires')
  const client = useQueryClient()
  const skip = useMutation({
    mutationFn: () =>
      call('PUT', `/schedules/${encodeURIComponent(id)}`, {
        body: withoutTime(document, first!.at),
        headers: { 'if-match': etag },
      }),
    onSuccess: async () => {
      close()
      notifications.show({ title: name ?? id, message: 'The next time is left out' })
      await client.invalidateQueries({ queryKey: ['schedules'] })
    },
  })
  return (
    <ReasonDialog
      title={`Skip the next run of ${name ?? id}`}
      effect={
        first === undefined ? (
          'It does not fire again.'
        ) : (
          <p style={{ margin: 0 }} data-testid="skipped-time">
            It does not fire at <strong className="num">{first.wall.replace('T', ' ')}</strong> ({first.offset},{' '}
            <When at={first.at} />
            ).{' '}
            {second === undefined ? (
              'There is no time after that.'
            ) : (
              <>
                It fires next at <strong className="num">{second.wall.replace('T', ' ')}</strong> (
                <When at={second.at} />
                ).
              </>
            )}
          </p>
        )
      }
      label="Skip it"
      blocked={first === undefined}
      pending={skip.isPending}
      problem={skip.error === null ? undefined : toProblem(skip.error)}
      close={close}
      confirm={() => skip.mutate()}
    />
  )
}
