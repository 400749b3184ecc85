import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleAlert, CircleCheck, LockKeyhole, Network, ZapOff } from 'lucide-react'
import { incidentGroupsQuery, locksQuery, nodesQuery } from '../../api/queries.ts'
import { serverNow } from '../../api/server-time.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { Card } from '../../ui/page.tsx'
import { When } from '../../ui/time.tsx'
import { breakersQuery } from '../breakers/breakers-queries.ts'
import { lostNodes } from '../cluster/cluster-health.ts'
import { eventsQuery } from '../cluster/cluster-queries.ts'
import { type AttentionItem, attentionOf } from './attention.ts'
import classes from './home.module.css'
import { useWorkflowNames } from './workflow-names.ts'

const MOST = 8
const icons = { incident: CircleAlert, breaker: ZapOff, lock: LockKeyhole, node: Network } as const

/** One row each, one click from where it is mended. Every part comes from one page of a list. */
export function NeedsAttention() {
  const poll = usePollMs(5_000)
  const slow = usePollMs(5_000, 5_000)
  const incidents = useQuery({ ...incidentGroupsQuery({ limit: 6, muted: false }), refetchInterval: poll })
  const breakers = useQuery({ ...breakersQuery(undefined), refetchInterval: slow })
  const locks = useQuery({ ...locksQuery({ limit: 100 }), refetchInterval: slow })
  const nodes = useQuery({ ...nodesQuery(), refetchInterval: slow })
  const events = useQuery({ ...eventsQuery(), refetchInterval: usePollMs(10_000, 10_000) })
  const lost = nodes.data === undefined ? [] : lostNodes(nodes.data, events.data?.items ?? [], serverNow())
  const nameOf = useWorkflowNames()
  const itemsOf = (groups: NonNullable<typeof incidents.data>): readonly AttentionItem[] =>
    attentionOf({
      ...{ incidents: groups.items, breakers: breakers.data?.items ?? [], locks: locks.data?.items ?? [] },
      ...{ nodes: nodes.data, lost, nameOf },
    })
  return (
    <Card
      title="Needs attention"
      flush
      aside={
        <Link to="/incidents" className="link small">
          Incidents
        </Link>
      }
    >
      <Area
        name="attention"
        query={incidents}
        rows={3}
        isEmpty={(groups) => itemsOf(groups).length === 0}
        empty={
          <p className={classes.well}>
            <CircleCheck size={16} aria-hidden /> Nothing does: no incident to look at, no open breaker, no stale lock,
            no node that is late or gone.
          </p>
        }
      >
        {(groups) => (
          <ul className={classes.feed}>
            {itemsOf(groups)
              .slice(0, MOST)
              .map((item) => (
                <Row key={item.key} item={item} />
              ))}
          </ul>
        )}
      </Area>
    </Card>
  )
}

function Row({ item }: { readonly item: AttentionItem }) {
  const Icon = icons[item.kind]
  return (
    <li data-attention={item.kind}>
      <span className={classes.count}>{item.count ?? <Icon size={12} aria-hidden />}</span>
      <Link to={item.to} search={(item.search ?? {}) as never} className={classes.what}>
        <strong>{item.title}</strong>
        <br />
        <span className="small muted">{item.text}</span>
      </Link>
      <span className="muted small">
        <When at={item.at} />
      </span>
    </li>
  )
}
