import { useQuery } from '@tanstack/react-query'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { Table } from '../../ui/list.tsx'
import { Card } from '../../ui/page.tsx'
import { sentence } from '../../ui/sentence.ts'
import { ToneChip } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import classes from './cluster.module.css'
import { type ClusterEvent, eventsQuery } from './cluster-queries.ts'
import { NodeName } from './node-name.tsx'
import { eventsOf } from './node-story.ts'

const SHOWN = 25

const tones: Readonly<Record<string, string>> = {
  joined: 'completed',
  suspected: 'retrying',
  buried: 'faulted',
  elected: 'running',
}

/** What happened to nodes, newest first; of one node only, where it is told. */
export function ClusterEvents({ nodeId }: { readonly nodeId?: string }) {
  const query = useQuery({ ...eventsQuery(), refetchInterval: usePollMs(2_000, 2_000) })
  const chosen = (items: readonly ClusterEvent[]) => (nodeId === undefined ? items : eventsOf(nodeId, items))
  return (
    <Card title="What happened" flush>
      <Area
        name="cluster-events"
        query={query}
        rows={4}
        isEmpty={({ items }) => chosen(items).length === 0}
        empty={<p className={classes.calm}>No node has come or gone.</p>}
      >
        {({ items, names }) => (
          <Table columns={['When', 'Event', ...(nodeId === undefined ? ['Node'] : []), 'More']}>
            {chosen(items)
              .slice(0, SHOWN)
              .map((event) => (
                <tr key={event.position} data-event={event.kind} data-position={event.position}>
                  <td>
                    <When at={event.at} />
                  </td>
                  <td>
                    <ToneChip tone={tones[event.kind] ?? 'queued'}>{sentence(event.kind)}</ToneChip>
                  </td>
                  {nodeId === undefined && (
                    <td>
                      <NodeName node={{ id: event.nodeId, name: event.name }} />
                    </td>
                  )}
                  <td className={`${classes.more} muted`}>
                    {nodeId !== undefined && event.nodeId !== nodeId && `${event.name} · `}
                    {detailText(event, names)}
                  </td>
                </tr>
              ))}
          </Table>
        )}
      </Area>
    </Card>
  )
}

const detailText = ({ detail }: ClusterEvent, names: ReadonlyMap<string, string>): string =>
  Object.entries(detail ?? {})
    .map(([name, value]) => `${name} ${valueText(value, names)}`)
    .join(' · ')

/** Nodes are told by their names, where an event had one. */
function valueText(value: unknown, names: ReadonlyMap<string, string>): string {
  if (Array.isArray(value)) return value.map((each) => valueText(each, names)).join(', ')
  if (typeof value === 'string') return names.get(value) ?? value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
