import { Link } from '@tanstack/react-router'
import type { Lock } from '../../api/wire.ts'
import { shortId } from '../../ui/time-text.ts'

/** The node that holds it, and the instance that it holds it for. */
export function Holder({ holder }: Pick<Lock, 'holder'>) {
  if (holder === null) return <span className="muted">–</span>
  const { name, nodeId, instanceId } = holder
  return (
    <>
      {name ?? (nodeId === null ? 'unknown' : shortId(nodeId))}
      {instanceId !== null && (
        <>
          {' '}
          <Link to="/instances/$instanceId" params={{ instanceId }} className="mono small link">
            {shortId(instanceId)}
          </Link>
        </>
      )}
    </>
  )
}
