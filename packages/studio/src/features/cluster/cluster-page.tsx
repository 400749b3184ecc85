import { Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Crown, Info, Network } from 'lucide-react'
import { Problem } from '../../api/problem.ts'
import { nodesQuery } from '../../api/queries.ts'
import type { ClusterNodes, DevProcess } from '../../api/wire.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area, Empty } from '../../ui/area.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { ToneChip } from '../../ui/status.tsx'
import { shortId } from '../../ui/time-text.ts'
import { Caches } from './caches.tsx'
import classes from './cluster.module.css'
import { ClusterEvents } from './cluster-events.tsx'
import { type Leader, leadersQuery } from './cluster-queries.ts'
import { DevButtons } from './dev-buttons.tsx'
import { NodeButtons } from './node-buttons.tsx'
import { type NodeEntry, nodeEntries } from './node-entries.ts'
import { NodeFacts } from './node-facts.tsx'
import { NodeLoad } from './node-load.tsx'
import { entryLook } from './node-look.ts'
import { NodeName } from './node-name.tsx'
import { anchorOf, TopologyStrip } from './topology-strip.tsx'

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
        {(nodes) => (
          <div className={classes.stack}>
            {nodes.items.length === 1 && (
              <p className={classes.note}>
                <Info size={16} aria-hidden />
                One node: when it stops, work waits until it is back. Give several nodes the same PostgreSQL database,
                and the others take over within seconds.
              </p>
            )}
            <TopologyStrip
              nodes={nodes}
              leaders={leaders?.items ?? []}
              isStoreAway={query.error instanceof Problem && query.error.status === 503}
            />
            <div className={classes.nodes}>
              {nodeEntries(nodes).map((entry) => (
                <NodeCard
                  key={entry.key}
                  entry={entry}
                  processes={nodes.processes ?? []}
                  leads={leaders?.items.filter(({ name }) => name === entry.name) ?? []}
                  versions={new Set(nodes.items.map(({ version }) => version)).size}
                  patience={nodes.patience}
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

interface NodeCardProps {
  readonly entry: NodeEntry
  readonly processes: readonly DevProcess[]
  readonly leads: readonly Leader[]
  readonly versions: number
  readonly patience: ClusterNodes['patience']
}

function NodeCard({ entry, processes, leads, versions, patience }: NodeCardProps) {
  const { name, node, process } = entry
  const [label, tone] = entryLook(entry, patience)
  return (
    <article
      className={classes.node}
      id={anchorOf(entry.key)}
      tabIndex={-1}
      data-testid="node"
      data-name={name}
      data-state={node?.state}
      data-process={process?.state}
    >
      <header>
        <h2 className="clip" title={name}>
          {node === undefined ? name : <NodeName node={node} />}
        </h2>
        {leads.map(({ election, term }) => (
          <Tooltip key={election} label={`Leads ${election}, term ${term}`}>
            <span className={classes.crown} data-testid="crown" data-term={term}>
              <Crown size={14} aria-label={`Leads ${election}, term ${term}`} />
            </span>
          </Tooltip>
        ))}
        {node?.self && <span className={classes.self}>answers you</span>}
        <ToneChip tone={tone}>{label}</ToneChip>
      </header>
      {node === undefined ? (
        <p className={classes.gone}>{absentText(process)}</p>
      ) : (
        <>
          <dl>
            <NodeFacts node={node} isMixed={versions > 1} patience={patience} />
            <NodeLoad nodeId={node.id} />
          </dl>
          <footer className="mono small muted">
            {shortId(node.id)}
            <CopyButton text={node.id} what="node id" />
            {node.roles !== undefined && <span>{node.roles.join(', ')}</span>}
          </footer>
        </>
      )}
      {node !== undefined && process?.state !== 'dead' && <NodeButtons node={node} />}
      {process !== undefined && (
        <div className={classes.dev}>
          <DevButtons process={process} processes={processes} />
          <span className="small muted">Only in cluster dev</span>
        </div>
      )}
    </article>
  )
}

const absentText = (process: DevProcess | undefined): string =>
  process?.state === 'dead' || process?.state === 'paused'
    ? 'The others have noticed, and go on with what it had in hand.'
    : 'It has not joined the cluster yet.'
