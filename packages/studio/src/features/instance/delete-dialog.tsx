import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import type { Instance } from '../../api/wire.ts'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { shortId } from '../../ui/time-text.ts'

interface WhatGoes {
  readonly facts: number
  readonly incidents: number
}

/** Asks the server first what would go, or what stands in the way: nobody confirms what is then refused. */
export function DeleteDialog({ instance, close }: { readonly instance: Instance; readonly close: () => void }) {
  const path = `/workflow-instances/${instance.id}`
  const client = useQueryClient()
  const navigate = useNavigate()
  const trial = useQuery({
    queryKey: ['delete-trial', instance.id],
    queryFn: ({ signal }) => call<WhatGoes>('DELETE', path, { query: { dryRun: true }, signal }),
    gcTime: 0,
    retry: false,
  })
  const run = useMutation({
    mutationFn: () => call('DELETE', path),
    onSuccess: async () => {
      close()
      await navigate({ to: '/instances' })
      notifications.show({ message: `${shortId(instance.id)} is deleted` })
      client.removeQueries({ queryKey: ['instance', instance.id] })
      await client.invalidateQueries({ queryKey: ['instances'] })
    },
  })
  const error = run.error ?? trial.error
  return (
    <ReasonDialog
      title="Delete this instance"
      effect={<Effect goes={trial.data} />}
      label="Delete"
      danger
      blocked={trial.data === undefined}
      pending={run.isPending}
      problem={error === null ? undefined : toProblem(error)}
      close={close}
      confirm={() => run.mutate()}
    />
  )
}

function Effect({ goes: { facts, incidents } = { facts: 0, incidents: 0 } }: { readonly goes: WhatGoes | undefined }) {
  return (
    <span data-testid="what-goes">
      It is removed for good, with its journal{facts > 0 && ` of ${counted(facts, 'fact')}`}
      {incidents > 0 && `, ${counted(incidents, 'incident')}`} and all else that belongs to it. Only the audit log
      remembers it.
    </span>
  )
}

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : `${noun}s`}`
