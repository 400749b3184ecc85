import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BellOff, Eye, GitCommitHorizontal, RotateCw, UserRound } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import type { IncidentGroup } from '../../api/wire.ts'
import { MayButton } from '../../ui/may-button.tsx'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { When } from '../../ui/time.tsx'
import { beganText } from './arrivals.ts'
import { ArrivalsStrip } from './arrivals-strip.tsx'
import { careLines, versionsText } from './care.ts'
import { CareMenu } from './care-menu.tsx'
import classes from './incidents.module.css'

/** `alone`: on the page that lists its incidents. */
export function GroupCard({ group, alone = false }: { readonly group: IncidentGroup; readonly alone?: boolean }) {
  const versions = versionsText(group)
  const began = beganText(group)
  return (
    <article className={classes.group} data-testid="incident-group" data-muted={group.mutedUntil !== null}>
      <span className={classes.count} title={`${group.open} open incidents`}>
        {group.open.toLocaleString('en')}
      </span>
      <div className={classes.words}>
        <h2>{group.message}</h2>
        <p className="small muted">
          <span className="mono">{group.code}</span> in{' '}
          <Link to="/definitions/$definitionId" params={{ definitionId: group.definitionId }} className="link">
            {group.definitionId}
          </Link>
          {versions !== '' && `, ${versions},`}
          {group.step !== null && (
            <>
              {' '}
              at <span className="mono">{group.step}</span>
            </>
          )}
          {' · '}
          {group.instances.toLocaleString('en')} {group.instances === 1 ? 'instance' : 'instances'} ·{' '}
          {group.open > 1 && (
            <>
              first <When at={group.firstAt} />, last{' '}
            </>
          )}
          <When at={group.lastAt} />
        </p>
        {began !== undefined && (
          <p className={`${classes.began} small`} data-testid="incident-began">
            <GitCommitHorizontal size={14} aria-hidden />
            {began}
          </p>
        )}
        <CareLines group={group} />
      </div>
      {group.histogram !== undefined && <ArrivalsStrip histogram={group.histogram} />}
      <Group gap={8} wrap="nowrap">
        <ResolveAlike group={group} retry />
        <ResolveAlike group={group} retry={false} />
        <CareMenu group={group} />
        {!alone && (
          <Button
            component={Link}
            to="/incidents"
            search={{ fingerprint: group.fingerprint } as never}
            size="xs"
            variant="default"
          >
            Show
          </Button>
        )}
      </Group>
    </article>
  )
}

const icons = { assigned: UserRound, acknowledged: Eye, muted: BellOff } as const

function CareLines({ group }: { readonly group: IncidentGroup }) {
  const lines = careLines(group)
  if (lines.length === 0) return null
  return (
    <p className={`${classes.care} small`} data-testid="incident-care">
      {lines.map(({ kind, text, at }) => {
        const Icon = icons[kind]
        return (
          <span key={kind} data-care={kind}>
            <Icon size={13} aria-hidden />
            {text} {at !== undefined && <When at={at} />}
          </span>
        )
      })}
      {group.note !== null && <q>{group.note}</q>}
    </p>
  )
}

function ResolveAlike({ group, retry }: { readonly group: IncidentGroup; readonly retry: boolean }) {
  const [open, setOpen] = useState(false)
  const client = useQueryClient()
  const resolve = useMutation({
    mutationFn: (note: string) =>
      call<{ outcomes: Record<string, number>; more: boolean }>('POST', '/incidents/resolve-alike', {
        body: { fingerprint: group.fingerprint, retry, ...(note === '' ? {} : { note }) },
      }),
    onSuccess: async ({ outcomes, more }) => {
      setOpen(false)
      const told = Object.entries(outcomes)
        .map(([name, count]) => `${count} ${name}`)
        .join(', ')
      notifications.show({ message: `${told || 'Nothing was open'}${more ? '. There are more: do it again' : ''}` })
      await client.invalidateQueries({ queryKey: ['incidents'] })
    },
  })
  const count = group.open.toLocaleString('en')
  return (
    <>
      <MayButton
        size="xs"
        permission="incidents:resolve"
        variant={retry ? 'filled' : 'default'}
        {...(retry ? { leftSection: <RotateCw size={14} /> } : {})}
        onClick={() => setOpen(true)}
      >
        {retry ? `Retry ${count}` : 'Resolve'}
      </MayButton>
      {open && (
        <ReasonDialog
          title={
            retry
              ? `Retry ${count} ${group.open === 1 ? 'instance' : 'instances'}`
              : `Resolve ${count} ${group.open === 1 ? 'incident' : 'incidents'}`
          }
          effect={
            retry
              ? 'They go on from the step that failed, and their incidents are resolved.'
              : 'They are marked as seen to. Their instances stay as they are.'
          }
          label={retry ? 'Retry' : 'Resolve'}
          reasonLabel="Note"
          pending={resolve.isPending}
          problem={resolve.error === null ? undefined : toProblem(resolve.error)}
          close={() => {
            resolve.reset()
            setOpen(false)
          }}
          confirm={(note) => resolve.mutate(note)}
        />
      )}
    </>
  )
}
