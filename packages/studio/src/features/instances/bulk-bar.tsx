import { Button, Group, Modal, Textarea, TextInput } from '@mantine/core'
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
import classes from './instances.module.css'

interface Action {
  readonly action: 'retry' | 'pause' | 'continue' | 'cancel' | 'terminate' | 'delete'
  readonly label: string
  /** What the chosen ones will do. */
  readonly effect: string
  readonly danger?: boolean
  /** It cannot be taken back: where it is about more than can be seen, their number has to be typed to do this to so many. */
  readonly typedTo?: string
}

const actions: readonly Action[] = [
  { action: 'retry', label: 'Retry', effect: 'go on from what failed. Those that did not fault are skipped.' },
  { action: 'pause', label: 'Pause', effect: 'start nothing new until they are continued.' },
  { action: 'continue', label: 'Continue', effect: 'go on where they were paused.' },
  {
    action: 'cancel',
    label: 'Cancel',
    effect: 'stop, and undo what they did where that is written down.',
    danger: true,
  },
  {
    ...{ action: 'terminate', label: 'Terminate', effect: 'end at once. Nothing is undone.' },
    ...{ danger: true, typedTo: 'end' },
  },
  {
    ...{ action: 'delete', label: 'Delete', effect: 'be removed for good, with their journals.' },
    ...{ danger: true, typedTo: 'delete' },
  },
]

/** The instances themselves are told why. */
const TOLD: ReadonlySet<Action['action']> = new Set(['cancel', 'terminate', 'pause'])

interface Target {
  readonly filter?: Readonly<Record<string, string>>
  readonly ids?: readonly string[]
  readonly exclude?: readonly string[]
  /** What came later is left out, and times that count from now count from here. */
  readonly asOf?: string
}

interface BulkProps {
  readonly ids: readonly string[]
  readonly filter: Readonly<Record<string, string>>
  /** Since when all that match are meant, by the server's clock. Absent: only `ids`. */
  readonly allAt: number | undefined
  /** Of all that match, not these. */
  readonly excluded: readonly string[]
  readonly canSelectAll: boolean
  readonly selectAll: () => void
  readonly clear: () => void
}

/** What can be done with what is selected. "All that match" means those that were there when it was chosen, listed by the server. */
export function BulkBar({ ids, filter, allAt, excluded, canSelectAll, selectAll, clear }: BulkProps) {
  const [chosen, choose] = useState<{ readonly action: Action; readonly target: Target }>()
  const all = allAt !== undefined
  const target = (): Target => {
    if (!all) return { ids }
    const asOf = new Date(allAt).toISOString()
    const said = Object.keys(filter).length > 0 ? filter : { 'createdAt[lte]': asOf }
    return { filter: said, asOf, ...(excluded.length === 0 ? {} : { exclude: excluded }) }
  }
  return (
    <div className={classes.bulk} role="toolbar" aria-label="Selected instances">
      <strong>
        {all
          ? `All that match${excluded.length === 0 ? '' : ` but ${excluded.length.toLocaleString('en')}`}`
          : `${ids.length} selected`}
      </strong>
      {!all && canSelectAll && (
        <Button variant="subtle" size="compact-xs" onClick={selectAll}>
          Select all that match
        </Button>
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

interface DryRun {
  readonly count: number
  readonly exact: boolean
  readonly sample: readonly string[]
  readonly skipped: { readonly count: number; readonly reasons: Readonly<Record<string, number>> }
}

function BulkDialog(props: {
  readonly action: Action
  readonly target: Target
  readonly close: () => void
  readonly done: () => void
}) {
  const { action, target } = props
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
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
        body: { action: action.action, target, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) },
      }),
    onSuccess: async (operation) => {
      notifications.show({ message: `${action.label} of ${operation.total || 'all'} instances is under way` })
      props.done()
      await client.invalidateQueries({ queryKey: ['batches'] })
      void navigate({ to: '/batches', search: { id: operation.id } })
    },
  })
  const asked =
    action.typedTo !== undefined && target.filter !== undefined ? String(dryRun.data?.count ?? '') : undefined
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
                <span className="muted">and {(found.count - found.sample.length).toLocaleString('en')} more</span>
              )}
            </div>
            {found.skipped.count > 0 && (
              <p className="small" data-testid="dry-run-skipped">
                {found.skipped.count.toLocaleString('en')} {found.skipped.count === 1 ? 'is' : 'are'} left as{' '}
                {found.skipped.count === 1 ? 'it is' : 'they are'}: {skippedText(found.skipped.reasons)}.
              </p>
            )}
          </>
        )}
      </Area>
      <Textarea
        mt="md"
        label="Reason"
        description={TOLD.has(action.action) ? 'Kept with the batch, and with its instances' : 'Kept with the batch'}
        autosize
        maxLength={255}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {asked !== undefined && dryRun.data !== undefined && dryRun.data.count > 0 && (
        <TextInput
          mt="sm"
          label={`Type ${asked} to ${action.typedTo} that many instances`}
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      {start.error !== null && <ProblemCard name="bulk" error={toProblem(start.error)} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={props.close}>
          Leave it
        </Button>
        <Button
          color={action.danger === true ? 'danger' : 'brand'}
          loading={start.isPending}
          disabled={dryRun.data === undefined || dryRun.data.count === 0 || (asked !== undefined && typed !== asked)}
          onClick={() => start.mutate()}
        >
          {action.label} {count} {dryRun.data?.count === 1 ? 'instance' : 'instances'}
        </Button>
      </Group>
    </Modal>
  )
}

const skippedText = (reasons: DryRun['skipped']['reasons']): string =>
  Object.entries(reasons)
    .map(([reason, count]) =>
      reason === 'not-found' ? `${count.toLocaleString('en')} gone` : `${count.toLocaleString('en')} ${reason}`,
    )
    .join(', ')
