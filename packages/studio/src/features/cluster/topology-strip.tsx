import { Check, CircleDashed, Crown, Database, MessagesSquare, OctagonX, TriangleAlert, Zap } from 'lucide-react'
import type { ClusterNodes } from '../../api/wire.ts'
import { useNow } from '../../ui/now.ts'
import { Card } from '../../ui/page.tsx'
import { sentence } from '../../ui/sentence.ts'
import type { Leader } from './cluster-queries.ts'
import { nodeEntries } from './node-entries.ts'
import classes from './topology.module.css'
import { type Health, type NodePlace, nodePlace, type ServerPlace, serverPlaces, shownPlaces } from './topology.ts'

/** Height of a box with the gap below it. */
const ROW = 52
const MOST_NODES = 6

const icons: Readonly<Record<Health, typeof Check>> = {
  well: Check,
  slow: TriangleAlert,
  down: OctagonX,
  unknown: CircleDashed,
}
const serverIcons: Readonly<Record<string, typeof Check>> = { database: Database, redis: Zap, broker: MessagesSquare }

interface TopologyProps {
  readonly nodes: ClusterNodes
  readonly leaders: readonly Leader[]
  readonly isStoreAway: boolean
}

/** Nodes, what they lean on, and how far that is away. The lists say all of it; the lines between are for the eye. */
export function TopologyStrip({ nodes, leaders, isStoreAway }: TopologyProps) {
  const now = useNow()
  const servers = serverPlaces(nodes, now, isStoreAway)
  // A server of before does not say what it leans on.
  if (servers.length === 0) return null
  const places = nodeEntries(nodes).map((entry) => nodePlace(entry, nodes.patience))
  const shown = shownPlaces(places, MOST_NODES)
  const rows = Math.max(shown.length + (places.length > shown.length ? 1 : 0), servers.length)
  const self = places.find((place) => place.self)
  return (
    <Card
      title="What leans on what"
      aside={
        self !== undefined && (
          <span className="small muted">
            Round trips as <strong>{self.name}</strong> measured them, which answers you
          </span>
        )
      }
    >
      <div className={classes.picture} data-testid="topology" style={{ minHeight: rows * ROW }}>
        <ul className={classes.column} aria-label="Nodes">
          {shown.map((place) => (
            <NodeBox
              key={place.key}
              place={place}
              leads={leaders.filter(({ name }) => name === place.name).map(({ election }) => election)}
            />
          ))}
          {places.length > shown.length && (
            <li className={classes.more}>and {places.length - shown.length} more, all well</li>
          )}
        </ul>
        <Lines nodes={shown} servers={servers} rows={rows} />
        <ul className={classes.column} aria-label="Servers">
          {servers.map((place) => (
            <ServerBox key={place.name} place={place} />
          ))}
        </ul>
      </div>
    </Card>
  )
}

function NodeBox({ place, leads }: { readonly place: NodePlace; readonly leads: readonly string[] }) {
  const Icon = icons[place.health]
  return (
    <li className={classes.box} data-health={place.health} data-node={place.name}>
      <a href={`#${anchorOf(place.key)}`} onClick={(event) => lead(event, place.key)}>
        <strong className="clip">{place.name}</strong>
        {leads.length > 0 && (
          <span className={classes.leads} title={`Leads ${leads.join(', ')}`}>
            <Crown size={12} aria-label={`Leads ${leads.join(', ')}`} />
          </span>
        )}
        <span className={classes.word}>
          <Icon size={13} aria-hidden /> {place.word}
          {place.self && <span className="muted"> · answers you</span>}
        </span>
      </a>
    </li>
  )
}

function ServerBox({ place }: { readonly place: ServerPlace }) {
  const Icon = icons[place.health]
  const Kind = serverIcons[place.name] ?? Database
  return (
    <li className={classes.box} data-health={place.health} data-server={place.name}>
      <span className={classes.trip}>
        <Icon size={12} aria-hidden /> {place.word}
      </span>
      <span className={classes.server}>
        <Kind size={16} aria-hidden />
        <span>
          <strong>{place.label}</strong>
          <span className="small muted">{sentence(place.does)}</span>
        </span>
      </span>
    </li>
  )
}

/** One line for each node and server. What the one that answers measured colours its own; of the others only their nodes are known. */
function Lines(props: {
  readonly nodes: readonly NodePlace[]
  readonly servers: readonly ServerPlace[]
  readonly rows: number
}) {
  const { nodes, servers, rows } = props
  const [fromTop, toTop] = [nodes.length, servers.length].map((count) => ((rows - count) * ROW) / 2) as [number, number]
  const middle = (top: number, index: number): number => top + index * ROW + ROW / 2
  const lines = nodes.flatMap((node, from) =>
    servers.map((server, to) => ({
      key: `${node.key} ${server.name}`,
      from: middle(fromTop, from),
      to: middle(toTop, to),
      self: node.self,
      health: node.health === 'well' ? (node.self || server.health === 'down' ? server.health : 'well') : node.health,
    })),
  )
  return (
    <svg
      className={classes.lines}
      viewBox={`0 0 100 ${rows * ROW}`}
      preserveAspectRatio="none"
      height={rows * ROW}
      aria-hidden="true"
    >
      {[...lines]
        .sort((a, b) => Number(a.self) - Number(b.self))
        .map(({ key, from, to, self, health }) => (
          <path key={key} d={`M 0 ${from} C 45 ${from} 45 ${to} 100 ${to}`} data-self={self} data-health={health} />
        ))}
    </svg>
  )
}

export const anchorOf = (key: string): string => `node-${key}`

/** To the card of the node, which holds what can be done with it. An address with only a mark would lead to the base path. */
function lead(event: React.MouseEvent, key: string): void {
  event.preventDefault()
  const card = document.getElementById(anchorOf(key))
  card?.scrollIntoView({ block: 'center' })
  card?.focus()
}
