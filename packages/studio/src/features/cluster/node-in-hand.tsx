import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ClusterNode, Lock } from '../../api/wire.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { Table } from '../../ui/list.tsx'
import { Card } from '../../ui/page.tsx'
import { sentence } from '../../ui/sentence.ts'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { shortId } from '../../ui/time-text.ts'
import { Fence } from '../locks/fence.tsx'
import { LockFlags } from '../locks/lock-flags.tsx'
import { type ManyLocks, manyLocksQuery } from '../locks/many-locks.ts'
import { Ttl } from '../locks/ttl.tsx'
import classes from './cluster.module.css'
import { heldBy } from './node-story.ts'

const MOST_ROWS = 25

/** Instances and locks, among the first thousand of each. */
export function NodeInHand({ node }: { readonly node: ClusterNode }) {
  const instances = useQuery({ ...manyLocksQuery('workflow:'), refetchInterval: usePollMs(3_000, 3_000) })
  const locks = useQuery({ ...manyLocksQuery(undefined), refetchInterval: usePollMs(3_000, 3_000) })
  return (
    <>
      <Card title="Instances in hand" flush>
        <Area
          name="node-instances"
          query={instances}
          rows={3}
          isEmpty={(many) => heldBy(node, many.locks).instances.length === 0}
          empty={
            <p className={classes.calm}>
              It has no instance in hand{instances.data?.isCut ? ' among the first thousand' : ''}.
            </p>
          }
        >
          {(many) => <Instances held={heldBy(node, many.locks).instances} many={many} />}
        </Area>
      </Card>
      <Card title="Locks it holds" flush>
        <Area
          name="node-locks"
          query={locks}
          rows={3}
          isEmpty={(many) => heldBy(node, many.locks).locks.length === 0}
          empty={
            <p className={classes.calm}>It holds no lock{locks.data?.isCut ? ' among the first thousand' : ''}.</p>
          }
        >
          {(many) => <Locks held={heldBy(node, many.locks).locks} many={many} />}
        </Area>
      </Card>
    </>
  )
}

interface HeldProps {
  readonly held: readonly Lock[]
  readonly many: ManyLocks
}

const InstanceLink = ({ holder }: Pick<Lock, 'holder'>) =>
  holder?.instanceId == null ? (
    <span className="muted">–</span>
  ) : (
    <Link to="/instances/$instanceId" params={{ instanceId: holder.instanceId }} className="mono link">
      {shortId(holder.instanceId)}
    </Link>
  )

const Instances = ({ held, many }: HeldProps) => (
  <>
    <Table columns={['Instance', 'Workflow', { label: 'Claim', right: true }]}>
      {held.slice(0, MOST_ROWS).map((lock) => (
        <tr key={lock.key}>
          <td>
            <InstanceLink holder={lock.holder} />
          </td>
          <td>{lock.holder?.definitionId ?? <span className="muted">–</span>}</td>
          <td className={`${table.right} num`}>{lock.fence}</td>
        </tr>
      ))}
    </Table>
    <Cut held={held} many={many} noun="instance" />
  </>
)

const Locks = ({ held, many }: HeldProps) => (
  <>
    <Table columns={['Key', 'State', 'For', 'Fence', 'Since', 'Expires']}>
      {held.slice(0, MOST_ROWS).map((lock) => (
        <tr key={lock.key}>
          <td>
            <Link to="/locks" search={{ lock: lock.key } as never} className="mono link">
              {lock.key}
            </Link>
          </td>
          <td>
            <LockFlags lock={lock} />
          </td>
          <td>
            <InstanceLink holder={lock.holder} />
          </td>
          <td>
            <Fence fence={lock.fence} />
          </td>
          <td>
            <When at={lock.acquiredAt} />
          </td>
          <td>
            <Ttl lock={lock} />
          </td>
        </tr>
      ))}
    </Table>
    <Cut held={held} many={many} noun="lock" />
  </>
)

function Cut({ held, many, noun }: HeldProps & { readonly noun: string }) {
  if (held.length <= MOST_ROWS && !many.isCut) return null
  return (
    <p className={`${classes.cut} small muted`}>
      {sentence(`the first ${Math.min(MOST_ROWS, held.length)} of ${held.length.toLocaleString('en')} ${noun}s`)}
      {many.isCut && ', among the first thousand of the cluster'}.
    </p>
  )
}
