import { Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Crown, Info, Network } from 'lucide-react'
import { nodesQuery } from '../../api/queries.ts'
import type { ClusterNode } from '../../api/wire.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area, Empty } from '../../ui/area.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { ToneChip } from '../../ui/status.tsx'
import { Took } from '../../ui/time.tsx'
import { durationText, shortId } from '../../ui/time-text.ts'
import { Caches } from './caches.tsx'
import classes from './cluster.module.css'
import { ClusterEvents } from './cluster-events.tsx'
import { type Leader, leadersQuery } from './cluster-queries.ts'
import { NodeButtons } from './node-buttons.tsx'

export function ClusterPage() {
  const query = useQuery({ ...nodesQuery(), refetchInterval: usePollMs(1_500, 1_500) })
  const { data: leaders } = useQuery({ ...leadersQuery(), refetchInterval: usePollMs(1_500, 1_500) })
  return (
    <Page title="Cluster" lead="The processes that do the work, as the store knows them">
      <Area
        name="cluster"
        query={query}
        rows={4}
        isEmpty={({ items }) => items.length === 0}
        empty={
          <Card flush>
            <Empty icon={<Network size={22} />} title="No node has joined yet">
              A node is listed from its first heartbeat until it has been silent for too long.
            </Empty>
          </Card>
        }
      >
        {({ items }) => (
          <div className={classes.stack}>
            {items.length === 1 && (
              <p className={classes.note}>
                <Info size={16} aria-hidden />
                One node: when it stops, work waits until it is back. Give several nodes the same PostgreSQL database,
                and the others take over within seconds.
              </p>
            )}
            <div className={classes.nodes}>
              {items.map((node) => (
                <NodeCard
                  key={node.id}
                  node={node}
                  leads={leaders?.items.filter(({ name }) => name === node.name) ?? []}
                  versions={new Set(items.map(({ version }) => version)).size}
                />
              ))}
            </div>
          </div>
        )}
      </Area>
      <ClusterEvents />
      <Caches />
    </Page>
  )
}

/** Silence is measured by the clock of the store, not of this browser. */
const LATE_MS = 2_500

const look: Readonly<Record<string, readonly [string, string]>> = {
  alive: ['Alive', 'completed'],
  cordoned: ['Cordoned', 'paused'],
  draining: ['Draining', 'paused'],
  drained: ['Drained', 'paused'],
}

interface NodeCardProps {
  readonly node: ClusterNode
  readonly leads: readonly Leader[]
  readonly versions: number
}

function NodeCard({ node, leads, versions }: NodeCardProps) {
  const late = node.state === 'alive' && node.silentMs > LATE_MS
  const [label, tone] = late ? ['Late', 'retrying'] : (look[node.state] ?? ['Leaving', 'faulted'])
  return (
    <article className={classes.node} data-testid="node" data-name={node.name} data-state={node.state}>
      <header>
        <h2 className="clip" title={node.name}>
          {node.name}
        </h2>
        {leads.map(({ election, term }) => (
          <Tooltip key={election} label={`Leads ${election}, term ${term}`}>
            <span className={classes.crown} data-testid="crown" data-term={term}>
              <Crown size={14} aria-label={`Leads ${election}, term ${term}`} />
            </span>
          </Tooltip>
        ))}
        {node.self && <span className={classes.self}>answers you</span>}
        <ToneChip tone={tone!}>{label}</ToneChip>
      </header>
      <dl>
        <Fact name="In hand">
          {node.holds.toLocaleString('en')}
          {node.capacity !== undefined && (
            <span className="muted"> of {node.capacity.toLocaleString('en')} at once</span>
          )}
        </Fact>
        <Fact name="Last heartbeat">{durationText(node.silentMs)} ago</Fact>
        <Fact name="Up for">
          <Took from={node.startedAt} to={null} />
        </Fact>
        <Fact name="Clock">{skewText(node.skewMs)}</Fact>
        <Fact name="Version">
          <span className={versions > 1 ? classes.mixed : undefined}>{node.version}</span>
        </Fact>
      </dl>
      <footer className="mono small muted">
        {shortId(node.id)}
        <CopyButton text={node.id} what="node id" />
        {node.roles !== undefined && <span>{node.roles.join(', ')}</span>}
      </footer>
      <NodeButtons node={node} />
    </article>
  )
}

const Fact = ({ name, children }: { readonly name: string; readonly children: React.ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd className="num">{children}</dd>
  </div>
)

function skewText(skewMs: number | null | undefined): string {
  if (skewMs === null || skewMs === undefined) return 'not measured yet'
  if (Math.abs(skewMs) < 5) return 'as the store'
  return `${Math.abs(skewMs)} ms ${skewMs > 0 ? 'ahead of' : 'behind'} the store`
}
