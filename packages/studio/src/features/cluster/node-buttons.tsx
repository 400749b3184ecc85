import { Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import type { ClusterNode } from '../../api/wire.ts'
import { MayButton } from '../../ui/may-button.tsx'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'

/** Cordoning is taken back by one click; a drain moves work, so it asks. */
export function NodeButtons({ node }: { readonly node: ClusterNode }) {
  const [draining, setDraining] = useState(false)
  const client = useQueryClient()
  const order = useMutation({
    mutationFn: (verb: 'cordon' | 'uncordon' | 'drain') =>
      call('POST', `/cluster/nodes/${encodeURIComponent(node.id)}/${verb}`, { body: {} }),
    onSuccess: () => setDraining(false),
    onError: (error) =>
      notifications.show({ color: 'danger', title: toProblem(error).title, message: toProblem(error).detail }),
    onSettled: () => client.invalidateQueries({ queryKey: ['nodes'] }),
  })
  const back = node.state !== 'alive'
  const leaving = node.state === 'leaving' ? 'It is leaving' : undefined
  return (
    <Group gap={6}>
      <MayButton
        size="compact-xs"
        variant="default"
        permission="cluster:operate"
        fault={leaving}
        onClick={() => order.mutate(back ? 'uncordon' : 'cordon')}
      >
        {back ? 'Take part again' : 'Cordon'}
      </MayButton>
      <MayButton
        size="compact-xs"
        variant="default"
        permission="cluster:operate"
        fault={leaving ?? (/^drain/.test(node.state) ? `It is ${node.state}` : undefined)}
        onClick={() => setDraining(true)}
      >
        Drain…
      </MayButton>
      {draining && (
        <ReasonDialog
          title={`Drain ${node.name}`}
          effect="It takes nothing more and hands back what it has in hand; the others go on with it. It stays up until it is stopped or takes part again."
          label="Drain"
          pending={order.isPending}
          problem={order.error === null ? undefined : toProblem(order.error)}
          close={() => setDraining(false)}
          confirm={() => order.mutate('drain')}
        />
      )}
    </Group>
  )
}
