import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import { incidentGroupsQuery, incidentsQuery } from '../../api/queries.ts'
import type { Incident, IncidentGroup } from '../../api/wire.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area, Empty } from '../../ui/area.tsx'
import { List } from '../../ui/list.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { sentence } from '../../ui/sentence.ts'
import { StatusChip, ToneChip } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import { shortId } from '../../ui/time-text.ts'
import classes from './incidents.module.css'

export function IncidentsPage() {
  const [search] = useUrlSearch()
  return (
    <Page title="Incidents" lead="What went wrong and waits for a person: those that are alike stand together">
      {search.fingerprint === undefined ? <Groups /> : <OneGroup fingerprint={search.fingerprint} />}
    </Page>
  )
}

function Groups() {
  const query = useQuery({ ...incidentGroupsQuery(), refetchInterval: usePollMs(4_000) })
  return (
    <Area
      name="incidents"
      query={query}
      isEmpty={({ items }) => items.length === 0}
      empty={
        <Card flush>
          <Empty icon={<CircleCheck size={22} />} title="No open incidents">
            A step that failed for good, and whatever else needs a decision, is listed here.
            <LastResolved />
          </Empty>
        </Card>
      }
    >
      {({ items }) => (
        <div className={classes.groups}>
          {items.map((group) => (
            <GroupCard key={group.fingerprint} group={group} />
          ))}
        </div>
      )}
    </Area>
  )
}

/** Where all is well: what was the last that was not. */
function LastResolved() {
  const { data } = useQuery(incidentsQuery({ state: 'resolved', limit: 1 }))
  const last = data?.items[0]
  if (last === undefined) return null
  return (
    <>
      <br />
      Resolved last:{' '}
      <Link to="/instances/$instanceId" params={{ instanceId: last.instanceId }} className="link">
        {last.message}
      </Link>
      , <When at={last.resolvedAt} />
    </>
  )
}

function GroupCard({ group }: { readonly group: IncidentGroup }) {
  return (
    <article className={classes.group} data-testid="incident-group">
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
      </div>
      <Group gap={8} wrap="nowrap">
        <ResolveAlike group={group} retry />
        <ResolveAlike group={group} retry={false} />
        <Button
          component={Link}
          to="/incidents"
          search={{ fingerprint: group.fingerprint } as never}
          size="xs"
          variant="default"
        >
          Show
        </Button>
      </Group>
    </article>
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

function OneGroup({ fingerprint }: { readonly fingerprint: string }) {
  const [search] = useUrlSearch()
  const query = useQuery({
    ...incidentsQuery({ fingerprint, cursor: search.cursor, limit: 50 }),
    refetchInterval: usePollMs(4_000),
  })
  return (
    <Card
      title={
        <>
          Incidents that are alike <Versions incidents={query.data?.items ?? []} />
        </>
      }
      flush
      aside={
        <Link to="/incidents" search={{} as never} className="link small">
          All groups
        </Link>
      }
    >
      <List
        name="incident-list"
        noun="incident"
        query={query}
        columns={['Incident', 'Instance', 'Workflow', 'Step', 'What happened', 'Opened']}
        empty={<Empty icon={<CircleCheck size={22} />} title="None of them is left" />}
        row={(incident) => <IncidentRow key={incident.id} incident={incident} />}
      />
    </Card>
  )
}

/** Where it began: a failure that no version before had points at what was changed. */
function Versions({ incidents }: { readonly incidents: readonly Incident[] }) {
  const versions = [...new Set(incidents.map(({ version }) => version))].sort((a, b) => a - b)
  const [first] = versions
  if (first === undefined) return null
  return (
    <span className="small muted" data-testid="incident-versions">
      {versions.length === 1 ? `all in version ${first}` : `in versions ${versions.join(', ')}`}
    </span>
  )
}

const IncidentRow = ({ incident }: { readonly incident: Incident }) => (
  <tr>
    <td>
      <ToneChip tone={incident.state === 'open' ? 'faulted' : 'completed'}>
        {incident.state === 'open' ? 'Open' : sentence(incident.resolution ?? 'resolved')}
      </ToneChip>
    </td>
    <td>
      <Group gap={8} wrap="nowrap">
        <Link to="/instances/$instanceId" params={{ instanceId: incident.instanceId }} className="mono link">
          {shortId(incident.instanceId)}
        </Link>
        <StatusChip status={incident.instanceStatus} />
      </Group>
    </td>
    <td>
      {incident.definitionId} <span className="small muted">v{incident.version}</span>
    </td>
    <td className="mono">{incident.step ?? '–'}</td>
    <td title={incident.message}>{incident.message}</td>
    <td>
      <When at={incident.openedAt} />
    </td>
  </tr>
)
