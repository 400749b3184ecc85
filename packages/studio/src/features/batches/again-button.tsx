import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import type { BatchItem, BatchOperation, Page } from '../../api/wire.ts'
import { Area } from '../../ui/area.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { isLeft, isOver, leftCount, outcomeText } from './batch-words.ts'

const PAGE = 200
/** As many as one batch takes by their ids. */
const MOST = 10_000

/** Does the same again with those of a batch that were refused, or whose turn never came. */
export function AgainButton({ operation }: { readonly operation: BatchOperation }) {
  const [open, setOpen] = useState(false)
  const left = leftCount(operation)
  if (!isOver(operation.state) || left === 0) return null
  return (
    <>
      <MayButton
        size="compact-xs"
        variant="default"
        permission="instances:operate"
        leftSection={<RotateCw size={12} />}
        onClick={() => setOpen(true)}
      >
        Again with the {left.toLocaleString('en')} left…
      </MayButton>
      {open && <AgainDialog operation={operation} close={() => setOpen(false)} />}
    </>
  )
}

function AgainDialog({ operation, close }: { readonly operation: BatchOperation; readonly close: () => void }) {
  const query = useQuery({
    queryKey: ['batches', 'left', operation.id],
    queryFn: ({ signal }) => leftItems(operation.id, signal),
    staleTime: 0,
  })
  const navigate = useNavigate()
  const client = useQueryClient()
  const again = useMutation({
    mutationFn: (note: string) =>
      call<BatchOperation>('POST', '/batch-operations', {
        body: {
          action: operation.action,
          target: { ids: query.data!.map(({ instanceId }) => instanceId) },
          ...(isFilled(operation.options) ? { options: operation.options } : {}),
          ...((note || operation.note) && { note: note || operation.note }),
        },
      }),
    onSuccess: async ({ id }) => {
      close()
      notifications.show({ message: 'Under way again' })
      await client.invalidateQueries({ queryKey: ['batches'] })
      void navigate({ to: '/batches', search: { id } })
    },
  })
  const count = query.data?.length ?? 0
  const things = `${count.toLocaleString('en')} ${count === 1 ? 'instance' : 'instances'}`
  return (
    <ReasonDialog
      title="Do it again with those that were left"
      effect={
        <Area name="batch-left" query={query} rows={2}>
          {(items) => (
            <p style={{ margin: 0 }} data-testid="batch-left-count">
              <strong>{things}</strong>: {groupText(items)}. Those that can be {past(operation.action)} now are; the
              others are left again, with the reason.
            </p>
          )}
        </Area>
      }
      label={`Again with ${things}`}
      reasonLabel="Note"
      blocked={count === 0}
      pending={again.isPending}
      problem={again.error === null ? undefined : toProblem(again.error)}
      close={close}
      confirm={(note) => again.mutate(note)}
    />
  )
}

const past = (action: string): string =>
  ({
    retry: 'retried',
    cancel: 'cancelled',
    terminate: 'ended',
    pause: 'paused',
    continue: 'continued',
    delete: 'deleted',
  })[action] ?? `worked on (${action})`

const isFilled = (options: unknown): boolean =>
  typeof options === 'object' && options !== null && Object.keys(options).length > 0

function groupText(items: readonly BatchItem[]): string {
  const groups = new Map<string, number>()
  for (const { outcome } of items) {
    const word = outcome === null ? 'not their turn yet' : outcomeText(outcome).toLowerCase()
    groups.set(word, (groups.get(word) ?? 0) + 1)
  }
  return [...groups].map(([word, count]) => `${count.toLocaleString('en')} ${word}`).join(', ')
}

async function leftItems(id: string, signal: AbortSignal): Promise<readonly BatchItem[]> {
  const found: BatchItem[] = []
  let cursor: string | undefined
  do {
    const query = { cursor, limit: PAGE }
    const { items, page } = await call<Page<BatchItem>>('GET', `/batch-operations/${id}/items`, { query, signal })
    found.push(...items.filter(({ outcome }) => isLeft(outcome)))
    cursor = page.next ?? undefined
  } while (cursor !== undefined && found.length < MOST)
  return found.slice(0, MOST)
}
