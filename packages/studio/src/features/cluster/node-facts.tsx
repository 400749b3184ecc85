import type { ClusterNode, ClusterNodes } from '../../api/wire.ts'
import { Took } from '../../ui/time.tsx'
import { durationText } from '../../ui/time-text.ts'
import classes from './cluster.module.css'
import { Fact } from './fact.tsx'
import { beatShare, skewText } from './node-story.ts'

interface NodeFactsProps {
  readonly node: ClusterNode
  /** Not all nodes are of one version. */
  readonly isMixed: boolean
  readonly patience: ClusterNodes['patience']
}

export function NodeFacts({ node, isMixed, patience }: NodeFactsProps) {
  return (
    <>
      <Fact name="In hand">
        {node.holds.toLocaleString('en')}
        {node.capacity !== undefined && <span className="muted"> of {node.capacity.toLocaleString('en')} at once</span>}
      </Fact>
      <Fact name="Last heartbeat">
        <span title={patience && `Gone after ${durationText(patience.goneMs)} of silence`}>
          {durationText(node.silentMs)} ago
        </span>
        {patience !== undefined && (
          <span className={classes.beat} data-late={node.silentMs > patience.lateMs} aria-hidden>
            <i style={{ width: `${beatShare(node.silentMs, patience) * 100}%` }} />
          </span>
        )}
      </Fact>
      <Fact name="Up for">
        <Took from={node.startedAt} to={null} />
      </Fact>
      <Fact name="Clock">{skewText(node.skewMs)}</Fact>
      <Fact name="Version">
        <span className={isMixed ? classes.mixed : undefined}>{node.version}</span>
      </Fact>
    </>
  )
}
