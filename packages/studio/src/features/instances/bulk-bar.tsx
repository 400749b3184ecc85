import { Button, Group, Modal, Textarea, Tooltip } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import type { BatchOperation } from '../../api/wire.ts'
import { Area, ProblemCard } from '../../ui/area.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { shortId } from '../../ui/time-text.ts'
import { bulkFault } from './filter-terms.ts'
import classes from './instances.module.css'

const actions = [
  { action: 'retry', label: 'Retry', effect: 'go on from what failed. Those that did not fault are skipped.' },
  { action: 'pause', label: 'Pause', effect: 'start nothing new until they are continued.' },
  { action: 'continue', label: 'Continue', effect: 'go on where they were paused.' },
  { action: 'cancel', label: 'Cancel', effect: 'stop, and undo what they did where that is written down.' },
  { action: 'terminate', label: 'Terminate', effect: 'end at once. Nothing is undone.' },
] as const

type Action = (typeof actions)[number]

interface Target {
  readonly filter?: Readonly<Record<string, string>>
  readonly ids?: readonly string[]
}

interface BulkProps {
  readonly ids: readonly string[]
  readonly filter: Readonly<Record<string, string>>
  /** Since when all that match are meant, by the server's clock. Absent: only `ids`. */
  readonly allAt: number | undefined
  readonly canSelectAll: boolean
  readonly selectAll: () => void
  readonly clear: () => void
}

/** What can be done with what is selected. "All that match" means those that were there when it was chosen, listed by the server. */
export function BulkBar({ ids, filter, allAt, canSelectAll, selectAll, clear }: BulkProps) {
  const [chosen, choose] = useState<{ readonly action: Action; readonly target: Target }>()
  const fault = bulkFault(filter)
  const all = allAt !== undefined
  const target = (): Target => (all ? { filter: { ...filter, ...notAfter(filter, allAt) } } : { ids })
  return (
    <div className={classes.bulk} role="toolbar" aria-label="Selected instances">
      <strong>{all ? 'All that match' : `${ids.length} selected`}</strong>
      {!all && canSelectAll && (
        <Tooltip label={fault} disabled={fault === undefined}>
          <Button variant="subtle" size="compact-xs" disabled={fault !== undefined} onClick={selectAll}>
            Select all that match
          </Button>
        </Tooltip>
      )}
      <Group gap={6} ml="auto">
        {actions.map((action) => (
          <MayButton
            key={action.action}
            size="xs"
            variant="default"
            permission="instances:operate"
            onClick={() => choose({ action, target: target() })}
          >
            {action.label}
          </MayButton>
        ))}
        <Button size="xs" variant="subtle" color="gray" leftSection={<X size={14} />} onClick={clear}>
          Clear
        </Button>
      </Group>
      {chosen !== undefined && <BulkDialog {...chosen} close={() => choose(undefined)} done={clear} />}
    </div>
  )
}

/** Leaves out what came later; an end that the list itself has lies earlier still. */
function notAfter(filter: Readonly<Record<string, string>>, at: number): Readonly<Record<string, string>> {
  return filter['createdAt[lte]'] === undefined && filter['createdAt[lt]'] === undefined
    ? { 'createdAt[lte]': String(at) }
    : {}
}

interface DryRun {
  readonly count: number
  readonly exact: boolean
  readonly sample: readonly string[]
}

function BulkDialog(props: {
  readonly action: Action
  readonly target: Target
  readonly close: () => void
  readonly done: () => void
}) {
  const { action, target } = props
  const [reason, setReason] = useState('')
  const navigate = useNavigate()
  const client = useQueryClient()
  const dryRun = useQuery({
    queryKey: ['dry-run', action.action, target],
    queryFn: () => call<DryRun>('POST', '/batch-operations', { body: { action: action.action, target, dryRun: true } }),
    staleTime: 0,
  })
  const start = useMutation({
    mutationFn: () =>
      call<BatchOperation>('POST', '/batch-operations', {
        body: { action: action.action, target, ...(reason.trim() === '' ? {} : { note: reason.trim() }) },
      }),
    onSuccess: async (operation) => {
      notifications.show({ message: `${action.label} of ${operation.total || 'all'} instances is under way` })
      props.done()
      await client.invalidateQueries({ queryKey: ['batches'] })
      void navigate({ to: '/batches', search: { id: operation.id } })
    },
  })
  const count =
    dryRun.data === undefined ? '' : `${dryRun.data.count.toLocaleString('en')}${dryRun.data.exact ? '' : ' or more'}`
  return (
    <Modal opened onClose={props.close} title={`${action.label} instances`} size="md">
      <Area name="dry-run" query={dryRun} rows={3}>
        {(found) => (
          <>
            <p>
              <strong data-testid="dry-run-count">{count}</strong> {found.count === 1 ? 'instance' : 'instances'} will{' '}
              {action.effect}
            </p>
            <div className={`${classes.sample} mono small`}>
              {found.sample.map((id) => (
                <span key={id}>{shortId(id)}</span>
              ))}
              {found.count > found.sample.length && (
                <span className="muted">and {found.count - found.sample.length} more</span>
              )}
            </div>
          </>
        )}
      </Area>
      <Textarea
        mt="md"
        label="Reason"
        description="Kept with the batch"
        autosize
        maxLength={255}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {start.error !== null && <ProblemCard name="bulk" error={toProblem(start.error)} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={props.close}>
          Leave it
        </Button>
        <Button
          color={action.action === 'terminate' || action.action === 'cancel' ? 'danger' : 'brand'}
          loading={start.isPending}
          disabled={dryRun.data === undefined || dryRun.data.count === 0}
          onClick={() => start.mutate()}
        >
          {action.label} {count} {dryRun.data?.count === 1 ? 'instance' : 'instances'}
        </Button>
      </Group>
    </Modal>
  )
}
