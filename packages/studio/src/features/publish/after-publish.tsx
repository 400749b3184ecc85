import { Button, Group, Modal } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { call } from '../../api/client.ts'
import { Area, ProblemCard } from '../../ui/area.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { useMay } from '../../ui/use-may.ts'
import classes from './publish.module.css'

interface Forecast {
  readonly checked: number
  readonly possible: number
  readonly impossible: number
  readonly unknown: number
  readonly complete: boolean
}

interface AfterProps {
  readonly definitionId: string
  readonly version: number
  /** The one that was current. */
  readonly before: number | undefined
  readonly running: number
  readonly close: () => void
}

/** It is out. What runs on the version before can be moved, once a dry run has said what that would come to. */
export function AfterPublish({ definitionId, version, before, running, close }: AfterProps) {
  const move = before !== undefined && before !== version && running > 0
  return (
    <Modal opened onClose={close} title="Published" size={560}>
      <p className={classes.sound} data-testid="published">
        <CircleCheck size={16} aria-hidden />
        {version === before
          ? `Nothing differs from version ${version}: it stays the current one.`
          : `Version ${version} is what new instances get.`}
      </p>
      {move ? (
        <Migration definitionId={definitionId} from={before} to={version} close={close} />
      ) : (
        <Group justify="flex-end" mt="md">
          <Button onClick={close}>Close</Button>
        </Group>
      )}
    </Modal>
  )
}

function Migration(props: {
  readonly definitionId: string
  readonly from: number
  readonly to: number
  readonly close: () => void
}) {
  const { definitionId, from, to } = props
  const { allowed } = useMay('instances:operate')
  const forecast = useQuery({
    queryKey: ['migration-forecast', definitionId, from, to],
    queryFn: () =>
      call<Forecast>('POST', `/workflow-definitions/${encodeURIComponent(definitionId)}/migration-forecast`, {
        body: { from, to, limit: 10_000 },
      }),
    enabled: allowed,
  })
  const migrate = useMutation({
    mutationFn: () =>
      call<{ id: string }>('POST', '/batch-operations', {
        body: {
          action: 'migrate',
          target: { filter: { definition: definitionId, version: from } },
          options: { version: to },
          note: `Published version ${to}`,
        },
      }),
  })
  const possible = forecast.data?.possible ?? 0
  return (
    <>
      {allowed && (
        <Area name="forecast" query={forecast} rows={2}>
          {({ checked, impossible, unknown, complete }) => (
            <p data-testid="forecast">
              Dry run: of {checked.toLocaleString('en')}
              {complete ? '' : '+'} on version {from}, {possible.toLocaleString('en')} can go over where they stand
              {impossible + unknown > 0 && `, ${(impossible + unknown).toLocaleString('en')} cannot and would stay`}.
            </p>
          )}
        </Area>
      )}
      {migrate.error !== null && <ProblemCard name="migrate" error={migrate.error} />}
      {migrate.data !== undefined && (
        <p>
          They are being moved.{' '}
          <Link to="/batches" search={{ id: migrate.data.id } as never} className="link">
            See how far it is
          </Link>
        </p>
      )}
      <Group justify="flex-end" mt="md">
        <MayButton
          permission="instances:operate"
          variant="default"
          loading={migrate.isPending}
          fault={possible === 0 ? 'None of them can go over.' : migrate.data && 'They are being moved.'}
          onClick={() => migrate.mutate()}
        >
          Move {possible.toLocaleString('en')} to version {to}
        </MayButton>
        <Button onClick={props.close}>{migrate.data === undefined ? 'Leave them' : 'Close'}</Button>
      </Group>
    </>
  )
}
