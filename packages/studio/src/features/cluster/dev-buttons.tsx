import { Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import type { DevProcess } from '../../api/wire.ts'
import { serverPort } from '../../browser/place.ts'
import { MayButton } from '../../ui/may-button.tsx'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { sparedBecause } from './node-entries.ts'

type Verb = 'kill' | 'pause' | 'continue' | 'revive'

const look = { size: 'compact-xs', variant: 'default', permission: 'cluster:operate' } as const

/** What only a cluster for development offers: to break a node, and to bring it back. */
export function DevButtons(props: { readonly process: DevProcess; readonly processes: readonly DevProcess[] }) {
  const { process, processes } = props
  const { name, state } = process
  const [killing, setKilling] = useState(false)
  const client = useQueryClient()
  const order = useMutation({
    mutationFn: (verb: Verb) => call('POST', `/cluster/nodes/${encodeURIComponent(name)}/${verb}`, { body: {} }),
    onSuccess: () => setKilling(false),
    onError: (error) =>
      notifications.show({ color: 'danger', title: toProblem(error).title, message: toProblem(error).detail }),
    onSettled: () => client.invalidateQueries({ queryKey: ['nodes'] }),
  })
  const spared = sparedBecause(process, processes, serverPort)
  if (state === 'dead')
    return (
      <MayButton {...look} loading={order.isPending} onClick={() => order.mutate('revive')}>
        Revive
      </MayButton>
    )
  return (
    <Group gap={6}>
      <MayButton {...look} color="danger" variant="light" fault={spared} onClick={() => setKilling(true)}>
        Kill…
      </MayButton>
      {state === 'paused' ? (
        <MayButton {...look} loading={order.isPending} onClick={() => order.mutate('continue')}>
          Continue
        </MayButton>
      ) : (
        <MayButton
          {...look}
          fault={state === 'running' ? spared : `It is ${state}`}
          loading={order.isPending && !killing}
          onClick={() => order.mutate('pause')}
        >
          Pause
        </MayButton>
      )}
      {killing && (
        <ReasonDialog
          title={`Kill ${name}`}
          effect="Its process ends at once, as by kill -9, and hands nothing over. Its work goes on elsewhere within seconds. Revive starts it again."
          label="Kill"
          danger
          pending={order.isPending}
          problem={order.error === null ? undefined : toProblem(order.error)}
          close={() => setKilling(false)}
          confirm={() => order.mutate('kill')}
        />
      )}
    </Group>
  )
}
