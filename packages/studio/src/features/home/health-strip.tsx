import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { nodesQuery } from '../../api/queries.ts'
import { serverNow } from '../../api/server-time.ts'
import { usePollMs } from '../../live/live-state.ts'
import { durationText } from '../../ui/time-text.ts'
import { clusterHealth } from '../cluster/cluster-health.ts'
import { eventsQuery, leadersQuery } from '../cluster/cluster-queries.ts'
import classes from './home.module.css'

const SERVERS: Readonly<Record<string, string>> = { database: 'Database', redis: 'Redis', broker: 'RabbitMQ' }

/** What everything rests on, and how far away it is from the node that answers. */
export function HealthStrip() {
  const poll = usePollMs(5_000, 5_000)
  const { data: nodes } = useQuery({ ...nodesQuery(), refetchInterval: poll })
  const { data: events } = useQuery({ ...eventsQuery(), refetchInterval: usePollMs(10_000, 10_000) })
  const { data: leaders } = useQuery({ ...leadersQuery(), refetchInterval: poll })
  if (nodes === undefined) return null
  const { alive, all, faults } = clusterHealth(nodes, events?.items ?? [], serverNow())
  const scheduler = leaders?.items.find(({ election }) => election === 'scheduler')
  return (
    <ul className={classes.strip} data-testid="health-strip" aria-label="Health">
      <li data-well={faults.length === 0} title={faults.join('. ')}>
        <Link to="/cluster">Nodes</Link>
        <strong className="num">
          {alive} of {all}
        </strong>
      </li>
      {(nodes.servers ?? []).map(({ name, roundTripMs }) => (
        <li key={name} data-server={name} data-well={roundTripMs === null ? undefined : true}>
          <span>{SERVERS[name] ?? name}</span>
          <strong className="num">{roundTripMs === null ? 'not measured' : durationText(roundTripMs)}</strong>
        </li>
      ))}
      {scheduler !== undefined && (
        <li data-well>
          <Link to="/schedules">Scheduler</Link>
          <strong>{scheduler.name}</strong>
        </li>
      )}
    </ul>
  )
}
