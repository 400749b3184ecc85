import { useQuery } from '@tanstack/react-query'
import { LockKeyhole, TriangleAlert } from 'lucide-react'
import { Problem } from '../../api/problem.ts'
import { locksQuery } from '../../api/queries.ts'
import type { Lock } from '../../api/wire.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Empty } from '../../ui/area.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { Contention } from './contention.tsx'
import { Fence } from './fence.tsx'
import { Holder } from './holder.tsx'
import { lockFlag } from './lock-flag.ts'
import { LockPanel } from './lock-panel.tsx'
import classes from './locks.module.css'
import { ReleaseStale } from './release-stale.tsx'
import { Ttl } from './ttl.tsx'

export function LocksPage() {
  const [search, change] = useUrlSearch()
  const query = useQuery({
    ...locksQuery({ prefix: search.prefix, cursor: search.cursor, limit: 50 }),
    refetchInterval: usePollMs(2_000, 2_000),
  })
  return (
    <ListPage
      title="Locks"
      lead="What is held or waited for, and by whom. Instances in the hands of a node are listed behind the locks."
      actions={<ReleaseStale prefix={search.prefix} />}
      above={
        <>
          {query.error instanceof Problem && query.error.code === 'PROVIDER_UNAVAILABLE' && <StoreDown />}
          <Contention />
        </>
      }
      search={{ parameter: 'prefix', label: 'Key begins with' }}
      name="locks"
      noun="lock"
      query={query}
      columns={['Key', 'State', 'Kind', 'Holder', 'Fence', 'Since', 'Expires', { label: 'In the queue', right: true }]}
      empty={
        <Empty
          icon={<LockKeyhole size={22} />}
          title={search.prefix ? 'No lock begins with that' : 'Nothing is locked'}
        >
          A lock appears here while somebody holds it or waits for it.
        </Empty>
      }
      row={(lock) => <LockRow key={lock.key} lock={lock} open={() => change({ lock: lock.key }, true)} />}
    >
      {search.lock !== undefined && <LockPanel lockKey={search.lock} close={() => change({ lock: undefined }, true)} />}
    </ListPage>
  )
}

/** What the engine does meanwhile: whoever reads this wants to know whether something runs without its lock. */
const StoreDown = () => (
  <p className={classes.down} role="alert" data-testid="lock-store-down">
    <TriangleAlert size={16} aria-hidden />
    <span>
      The store of the locks does not answer. Nothing begins without its lock: what needs one waits, and goes on when
      the store is back. What you see here may be old.
    </span>
  </p>
)

function LockRow({ lock, open }: { readonly lock: Lock; readonly open: () => void }) {
  const flag = lockFlag(lock)
  return (
    <tr>
      <td>
        <button type="button" className={`${classes.key} mono link`} onClick={open}>
          {lock.key}
        </button>
      </td>
      <td>
        <ToneChip tone={flag.tone}>{flag.label}</ToneChip>
      </td>
      <td>
        {lock.kind}
        {lock.holders > 1 && <span className="muted"> ×{lock.holders}</span>}
      </td>
      <td>
        <Holder holder={lock.holder} />
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
      <td className={table.right}>
        {lock.waiters}
        {lock.waitingInstances > 0 && (
          <span className="muted">
            {' · '}
            {lock.waitingInstances.toLocaleString('en')} {lock.waitingInstances === 1 ? 'instance' : 'instances'}{' '}
            waiting
          </span>
        )}
      </td>
    </tr>
  )
}
