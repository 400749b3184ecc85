import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { incidentGroupsQuery, incidentsQuery } from '../../api/queries.ts'
import type { Incident, IncidentGroup } from '../../api/wire.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area, Empty } from '../../ui/area.tsx'
import { List } from '../../ui/list.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { sentence } from '../../ui/sentence.ts'
import { StatusChip, ToneChip } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import { shortId } from '../../ui/time-text.ts'
import { byMuted } from './care.ts'
import { GroupCard } from './group-card.tsx'
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
      empty={<AllWell title="No open incidents" last={query.data?.lastResolved} />}
    >
      {({ items, lastResolved }) => <GroupLists groups={items} last={lastResolved} />}
    </Area>
  )
}

/** What is muted stands below, whatever its size. */
function GroupLists({ groups, last }: { readonly groups: readonly IncidentGroup[]; readonly last: Resolved }) {
  const { heard, muted } = byMuted(groups)
  return (
    <div className={classes.groups}>
      {heard.length === 0 && <AllWell title="No open incidents but those that are muted" last={last} />}
      {heard.map((group) => (
        <GroupCard key={group.fingerprint} group={group} />
      ))}
      {muted.length > 0 && (
        <section className={classes.groups} aria-labelledby="muted-incidents" data-testid="muted-incidents">
          <h2 className={classes.part} id="muted-incidents">
            Muted
          </h2>
          {muted.map((group) => (
            <GroupCard key={group.fingerprint} group={group} />
          ))}
        </section>
      )}
    </div>
  )
}

/** The one that was resolved last, where that is known. */
type Resolved = Incident | null | undefined

const AllWell = ({ title, last }: { readonly title: string; readonly last: Resolved }) => (
  <Card flush>
    <Empty icon={<CircleCheck size={22} />} title={title}>
      A step that failed for good, and whatever else needs a decision, is listed here.
      {last && <LastResolved last={last} />}
    </Empty>
  </Card>
)

/** Where all is well: what was the last that was not. */
const LastResolved = ({ last }: { readonly last: Incident }) => (
  <span data-testid="last-resolved">
    <br />
    Resolved last:{' '}
    <Link to="/instances/$instanceId" params={{ instanceId: last.instanceId }} className="link">
      {last.message}
    </Link>
    , <When at={last.resolvedAt} />
  </span>
)

function OneGroup({ fingerprint }: { readonly fingerprint: string }) {
  const [search] = useUrlSearch()
  const query = useQuery({
    ...incidentsQuery({ fingerprint, cursor: search.cursor, limit: 50 }),
    refetchInterval: usePollMs(4_000),
  })
  const { data: groups } = useQuery({ ...incidentGroupsQuery({ fingerprint }), refetchInterval: usePollMs(4_000) })
  const group = groups?.items[0]
  return (
    <div className={classes.groups}>
      {group !== undefined && <GroupCard group={group} alone />}
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
    </div>
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
