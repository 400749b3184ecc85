import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { nodesQuery } from '../../api/queries.ts'
import { serverNow } from '../../api/server-time.ts'
import { usePollMs } from '../../live/live-state.ts'
import { clusterHealth } from '../cluster/cluster-health.ts'
import { eventsQuery, leadersQuery } from '../cluster/cluster-queries.ts'
import { serverPlaces } from '../cluster/topology.ts'
import classes from './home.module.css'

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
      <li data-health={faults.length === 0 ? 'well' : 'slow'} title={faults.join('. ')}>
        <Link to="/cluster">Nodes</Link>
        <strong className="num">
          {alive} of {all}
        </strong>
      </li>
      {serverPlaces(nodes, serverNow(), false).map(({ name, label, health, word }) => (
        <li key={name} data-server={name} data-health={health}>
          <span>{label}</span>
          <strong className="num">{word}</strong>
        </li>
      ))}
      {scheduler !== undefined && (
        <li data-health="well">
          <Link to="/schedules">Scheduler</Link>
          <strong>{scheduler.name}</strong>
        </li>
      )}
    </ul>
  )
}
