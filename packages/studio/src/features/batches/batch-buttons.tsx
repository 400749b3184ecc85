import { Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Pause, Play, Square } from 'lucide-react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import type { BatchOperation } from '../../api/wire.ts'
import { MayButton } from '../../ui/may-button.tsx'
import { isOver } from './batch-words.ts'

type Wish = 'pause' | 'continue' | 'cancel'

const look = { size: 'compact-xs', variant: 'default', permission: 'instances:operate' } as const

/** Pausing is taken back by one click; what a stop leaves undone can be done again from the batch. */
export function BatchButtons({ operation }: { readonly operation: BatchOperation }) {
  const client = useQueryClient()
  const steer = useMutation({
    mutationFn: (wish: Wish) => call('POST', `/batch-operations/${operation.id}/${wish}`, { body: {} }),
    onError: (error) =>
      notifications.show({ color: 'danger', title: toProblem(error).title, message: toProblem(error).detail }),
    onSettled: () => client.invalidateQueries({ queryKey: ['batches'] }),
  })
  if (isOver(operation.state)) return null
  const pending = (wish: Wish): boolean => steer.isPending && steer.variables === wish
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {operation.state === 'paused' ? (
        <MayButton
          {...look}
          leftSection={<Play size={12} />}
          loading={pending('continue')}
          onClick={() => steer.mutate('continue')}
        >
          Continue
        </MayButton>
      ) : (
        <MayButton
          {...look}
          leftSection={<Pause size={11} fill="currentColor" strokeWidth={1} />}
          loading={pending('pause')}
          onClick={() => steer.mutate('pause')}
        >
          Pause
        </MayButton>
      )}
      <MayButton
        {...look}
        leftSection={<Square size={11} />}
        loading={pending('cancel')}
        onClick={() => steer.mutate('cancel')}
      >
        Stop
      </MayButton>
    </Group>
  )
}
