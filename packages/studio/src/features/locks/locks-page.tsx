import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { LockKeyhole, Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { locksQuery } from '../../api/queries.ts'
import type { Lock } from '../../api/wire.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area, Empty } from '../../ui/area.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { lockFlag } from './lock-flag.ts'
import { LockPanel } from './lock-panel.tsx'
import classes from './locks.module.css'
import { Ttl } from './ttl.tsx'

export function LocksPage() {
  const [search, change] = useUrlSearch()
  const [prefix, setPrefix] = useState(search.prefix ?? '')
  const [asked] = useDebouncedValue(prefix, 250)
  useEffect(() => {
    if (asked !== (search.prefix ?? '')) change({ prefix: asked, cursor: undefined }, true)
  }, [asked, search.prefix, change])
  const query = useQuery({
    ...locksQuery({ prefix: search.prefix, cursor: search.cursor, limit: 50 }),
    refetchInterval: usePollMs(2_000, 2_000),
  })
  return (
    <Page
      title="Locks"
      lead="What is held or waited for, and by whom. Instances in the hands of a node are listed behind the locks."
    >
      <TextInput
        data-search-field
        size="xs"
        w={320}
        aria-label="Key begins with"
        placeholder="Key begins with …"
        leftSection={<Search size={14} />}
        value={prefix}
        onChange={(event) => setPrefix(event.currentTarget.value)}
      />
      <Card flush>
        <Area
          name="locks"
          query={query}
          isEmpty={({ items }) => items.length === 0}
          empty={
            <Empty
              icon={<LockKeyhole size={22} />}
              title={search.prefix ? 'No lock begins with that' : 'Nothing is locked'}
            >
              A lock appears here while somebody holds it or waits for it.
            </Empty>
          }
        >
          {(page) => (
            <>
              <div className={table.wrap}>
                <table className={table.table}>
                  <thead>
                    <tr>
                      <th>Key</th>
                      <th>State</th>
                      <th>Kind</th>
                      <th>Holder</th>
                      <th>Fence</th>
                      <th>Since</th>
                      <th>Expires</th>
                      <th className={table.right}>Waiters</th>
                    </tr>
                  </thead>
                  <tbody>
                    {page.items.map((lock) => (
                      <LockRow key={lock.key} lock={lock} open={() => change({ lock: lock.key }, true)} />
                    ))}
                  </tbody>
                </table>
              </div>
              <Pager page={page} noun="lock" go={(cursor) => change({ cursor })} />
            </>
          )}
        </Area>
      </Card>
      {search.lock !== undefined && <LockPanel lockKey={search.lock} close={() => change({ lock: undefined }, true)} />}
    </Page>
  )
}

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
      <td>{lock.holder?.name ?? lock.holder?.nodeId ?? <span className="muted">–</span>}</td>
      <td className="mono">{lock.fence ?? '–'}</td>
      <td>
        <When at={lock.acquiredAt} />
      </td>
      <td>
        <Ttl lock={lock} />
      </td>
      <td className={table.right}>{lock.waiters}</td>
    </tr>
  )
}
