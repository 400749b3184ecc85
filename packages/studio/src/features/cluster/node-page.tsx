import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Crown } from 'lucide-react'
import { nodesQuery } from '../../api/queries.ts'
import type { ClusterNode, ClusterNodes } from '../../api/wire.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Missing } from '../../ui/missing.tsx'
import { Card, Facts, Page } from '../../ui/page.tsx'
import { ToneChip } from '../../ui/status.tsx'
import { Took, When } from '../../ui/time.tsx'
import { durationText, shortId } from '../../ui/time-text.ts'
import classes from './cluster.module.css'
import { ClusterEvents } from './cluster-events.tsx'
import { eventsQuery, type Leader, leadersQuery } from './cluster-queries.ts'
import { DevButtons } from './dev-buttons.tsx'
import { NodeButtons } from './node-buttons.tsx'
import { NodeFigures } from './node-figures.tsx'
import { NodeInHand } from './node-in-hand.tsx'
import { entryLook } from './node-look.ts'
import { NodeName } from './node-name.tsx'
import { beatShare, type NodeStory, nodeStory, skewText } from './node-story.ts'

/** One node: how it stands, what it does, what it has in hand. One that is gone is remembered by what happened to it. */
export function NodePage() {
  const { nodeId } = useParams({ strict: false }) as { readonly nodeId: string }
  const nodes = useQuery({ ...nodesQuery(), refetchInterval: usePollMs(1_500, 1_500) })
  const events = useQuery({ ...eventsQuery(), refetchInterval: usePollMs(2_000, 2_000) })
  const story =
    nodes.data === undefined || events.data === undefined ? undefined : nodeStory(nodeId, nodes.data, events.data.items)
  const query = {
    data: story && nodes.data && { story, nodes: nodes.data },
    error: nodes.error ?? events.error,
    isFetching: nodes.isFetching || events.isFetching,
    refetch: () => Promise.all([nodes.refetch(), events.refetch()]),
  }
  return (
    <Page
      title={titleOf(story, nodeId)}
      lead={<Lead story={story} nodeId={nodeId} />}
      actions={<Actions {...{ story, nodes: nodes.data }} />}
    >
      <Area
        name="node-page"
        query={query}
        rows={8}
        isEmpty={(found) => found.story.status === 'unknown'}
        empty={
          <Missing title="Nothing is known of such a node" list={{ to: '/cluster', label: 'The cluster' }}>
            None has the id <span className="mono">{nodeId}</span>, and no event tells of one. A process that starts
            anew gets a new id.
          </Missing>
        }
      >
        {(found) => <Parts {...found} nodeId={nodeId} />}
      </Area>
    </Page>
  )
}

const titleOf = (story: NodeStory | undefined, nodeId: string): string =>
  story?.status === 'here' ? story.entry.name : story?.status === 'gone' ? story.name : shortId(nodeId)

function Lead({ story, nodeId }: { readonly story: NodeStory | undefined; readonly nodeId: string }) {
  return (
    <span className={classes.state}>
      <Link to="/cluster" className="link">
        Cluster
      </Link>
      <span className="mono small">{shortId(nodeId)}</span>
      <CopyButton text={nodeId} what="node id" />
      {story?.status === 'here' && story.entry.node.self && <span>answers you</span>}
    </span>
  )
}

function Actions(props: { readonly story: NodeStory | undefined; readonly nodes: ClusterNodes | undefined }) {
  const { story, nodes } = props
  if (story === undefined || story.status === 'unknown') return null
  const processes = nodes?.processes ?? []
  if (story.status === 'gone') {
    // One of a dev cluster is brought back from here, unless it is back already.
    const dead = story.next === undefined ? processes.find(({ name }) => name === story.name) : undefined
    return dead && <DevButtons process={dead} processes={processes} />
  }
  const { node, process } = story.entry
  return (
    <Group gap={12}>
      {process !== undefined && <DevButtons process={process} processes={processes} />}
      {process?.state !== 'dead' && <NodeButtons node={node} />}
    </Group>
  )
}

function Parts({
  story,
  nodes,
  nodeId,
}: {
  readonly story: NodeStory
  readonly nodes: ClusterNodes
  readonly nodeId: string
}) {
  return (
    <div className={classes.columns}>
      <div className={classes.side}>
        <NodeFigures nodeId={nodeId} />
        {story.status === 'here' && <NodeInHand node={story.entry.node} />}
      </div>
      <div className={classes.side}>
        {story.status === 'here' && <Here entry={story.entry} nodes={nodes} />}
        {story.status === 'gone' && <Gone story={story} />}
        <ClusterEvents nodeId={nodeId} />
      </div>
    </div>
  )
}

function Here({
  entry,
  nodes,
}: {
  readonly entry: Extract<NodeStory, { status: 'here' }>['entry']
  readonly nodes: ClusterNodes
}) {
  const { node } = entry
  const { data: leaders } = useQuery({ ...leadersQuery(), refetchInterval: usePollMs(1_500, 1_500) })
  const [label, tone] = entryLook(entry, nodes.patience)
  const isMixed = new Set(nodes.items.map(({ version }) => version)).size > 1
  const items: [string, React.ReactNode][] = [
    [
      'State',
      <ToneChip key="state" tone={tone}>
        {label}
      </ToneChip>,
    ],
    ['Heartbeat', <Beat key="beat" node={node} patience={nodes.patience} />],
    [
      'In hand',
      <span key="hand" className="num">
        {node.holds.toLocaleString('en')}
        {node.capacity !== undefined && <span className="muted"> of {node.capacity.toLocaleString('en')} at once</span>}
      </span>,
    ],
    ['Roles', node.roles?.join(', ') ?? 'not told'],
    ['Leads', <Leads key="leads" leads={leaders?.items.filter(({ name }) => name === node.name) ?? []} />],
    ['Clock', skewText(node.skewMs)],
    ['Up for', <Took key="up" from={node.startedAt} to={null} />],
    ['Since', <When key="since" at={node.startedAt} />],
    [
      'Version',
      <span key="version" className={isMixed ? classes.mixed : undefined}>
        {node.version}
        {isMixed && ', and others run another'}
      </span>,
    ],
  ]
  return (
    <div data-testid="node-facts" data-state={node.state}>
      <Card title="Node">
        <Facts items={items} />
      </Card>
    </div>
  )
}

function Beat({ node, patience }: { readonly node: ClusterNode; readonly patience: ClusterNodes['patience'] }) {
  const ago = `${durationText(node.silentMs)} ago`
  if (patience === undefined) return <>{ago}</>
  return (
    <>
      <span className="num">{ago}</span>
      <span className={classes.beat} data-late={node.silentMs > patience.lateMs} aria-hidden>
        <i style={{ width: `${beatShare(node.silentMs, patience) * 100}%` }} />
      </span>
      <span className="small muted">
        every {durationText(patience.heartbeatMs)}, late after {durationText(patience.lateMs)}, gone after{' '}
        {durationText(patience.goneMs)}
      </span>
    </>
  )
}

function Leads({ leads }: { readonly leads: readonly Leader[] }) {
  if (leads.length === 0) return <span className="muted">no election</span>
  return leads.map(({ election, term, since }) => (
    <span key={election} className={classes.state}>
      <span className={classes.crown}>
        <Crown size={14} aria-hidden />
      </span>
      {election}
      <span className="small muted">
        term {term}, since <When at={since} />
      </span>
    </span>
  ))
}

function Gone({ story }: { readonly story: Extract<NodeStory, { status: 'gone' }> }) {
  const words = {
    left: 'It stopped in good order, and handed over what it had in hand.',
    buried: 'It was silent for too long. The others buried it, and went on with what it had in hand.',
    unknown: 'It is not among the nodes any more. How it ended is not told.',
  }
  return (
    <div data-testid="node-gone">
      <Card title="Node">
        <p className={classes.gone}>{words[story.end ?? 'unknown']}</p>
        <Facts
          items={[
            [
              'State',
              <ToneChip key="state" tone={story.end === 'left' ? 'ended' : 'faulted'}>
                {story.end === 'left' ? 'Stopped' : 'Gone'}
              </ToneChip>,
            ],
            ['Joined', <When key="joined" at={story.joinedAt} none="not told any more" />],
            ['Ended', <When key="ended" at={story.endedAt} none="not told" />],
            ['Was up for', <Took key="up" from={story.joinedAt} to={story.endedAt} />],
            ['Roles', story.roles.join(', ') || 'not told'],
            ['Version', story.version ?? 'not told'],
            [
              'Now',
              story.next === undefined ? (
                <span key="next" className="muted">
                  nobody has its name
                </span>
              ) : (
                <span key="next">
                  <NodeName node={story.next} />, since <When at={story.next.startedAt} />
                </span>
              ),
            ],
          ]}
        />
      </Card>
    </div>
  )
}
