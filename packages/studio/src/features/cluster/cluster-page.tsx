import { useQuery } from '@tanstack/react-query'
import { Info } from 'lucide-react'
import { nodesQuery } from '../../api/queries.ts'
import type { ClusterNode } from '../../api/wire.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Page } from '../../ui/page.tsx'
import { ToneChip } from '../../ui/status.tsx'
import { Took } from '../../ui/time.tsx'
import { shortId } from '../../ui/time-text.ts'
import classes from './cluster.module.css'

export function ClusterPage() {
  const query = useQuery({ ...nodesQuery(), refetchInterval: usePollMs(1_500, 1_500) })
  return (
    <Page title="Cluster" lead="The processes that do the work, as the store knows them">
      <Area name="cluster" query={query} rows={4}>
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
                <NodeCard key={node.id} node={node} versions={new Set(items.map(({ version }) => version)).size} />
              ))}
            </div>
          </div>
        )}
      </Area>
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

function NodeCard({ node, versions }: { readonly node: ClusterNode; readonly versions: number }) {
  const late = node.state === 'alive' && node.silentMs > LATE_MS
  const [label, tone] = late ? ['Late', 'retrying'] : (look[node.state] ?? ['Leaving', 'faulted'])
  return (
    <article className={classes.node} data-testid="node">
      <header>
        <h2 className="clip" title={node.name}>
          {node.name}
        </h2>
        {node.self && <span className={classes.self}>answers you</span>}
        <ToneChip tone={tone!}>{label}</ToneChip>
      </header>
      <dl>
        <div>
          <dt>In hand</dt>
          <dd className="num">{node.holds.toLocaleString('en')}</dd>
        </div>
        <div>
          <dt>Last heartbeat</dt>
          <dd className="num">{node.silentMs} ms ago</dd>
        </div>
        <div>
          <dt>Up for</dt>
          <dd>
            <Took from={node.startedAt} to={null} />
          </dd>
        </div>
        <div>
          <dt>Version</dt>
          <dd className={versions > 1 ? classes.mixed : undefined}>{node.version}</dd>
        </div>
      </dl>
      <footer className="mono small muted">
        {shortId(node.id)}
        <CopyButton text={node.id} what="node id" />
        {node.roles !== undefined && <span>{node.roles.join(', ')}</span>}
      </footer>
    </article>
  )
}
