import { Select, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { LockKeyhole, TriangleAlert } from 'lucide-react'
import { Problem } from '../../api/problem.ts'
import { locksQuery } from '../../api/queries.ts'
import { serverNow } from '../../api/server-time.ts'
import type { Lock, Page as PageOf } from '../../api/wire.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Empty } from '../../ui/area.tsx'
import folderNav from '../../ui/folder-nav.module.css'
import { FolderNav } from '../../ui/folder-nav.tsx'
import { List } from '../../ui/list.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { shortId } from '../../ui/time-text.ts'
import { Contention } from './contention.tsx'
import { Fence } from './fence.tsx'
import { Holder } from './holder.tsx'
import { lockLabQuery } from './lab/lab-calls.ts'
import { LockLab } from './lab/lock-lab.tsx'
import { LockFlags } from './lock-flags.tsx'
import { LockPanel } from './lock-panel.tsx'
import { filterLocks, lockFigures, lockFolders } from './lock-tree.ts'
import classes from './locks.module.css'
import { type ManyLocks, manyLocksQuery } from './many-locks.ts'
import { ReleaseStale } from './release-stale.tsx'
import { Ttl } from './ttl.tsx'
import { WaitGraph } from './wait-graph.tsx'

const OLDER = [
  { value: '0', label: 'However long held' },
  { value: '60000', label: 'A minute or longer' },
  { value: '600000', label: 'Ten minutes or longer' },
  { value: '3600000', label: 'An hour or longer' },
]

export function LocksPage() {
  const [search, change] = useUrlSearch()
  const query = useQuery({
    ...locksQuery({ prefix: search.prefix, cursor: search.cursor, limit: 50 }),
    refetchInterval: usePollMs(2_000, 2_000),
  })
  const all = useQuery({ ...manyLocksQuery(undefined), refetchInterval: usePollMs(5_000, 5_000) })
  const { data: lab } = useQuery(lockLabQuery())
  const hasLab = lab?.offered === true
  const view = search.view === 'waits' ? 'waits' : search.view === 'lab' && hasLab ? 'lab' : 'keys'
  const folders = lockFolders(all.data?.locks ?? [])
  const more = all.data?.isCut === true ? '+' : ''
  const list = (
    <Card flush>
      <Locks query={query} />
    </Card>
  )
  return (
    <Page
      title="Locks"
      lead="What is held or waited for, and by whom. Instances in the hands of a node are listed behind the locks."
      actions={<ReleaseStale prefix={search.prefix} />}
    >
      {query.error instanceof Problem && query.error.code === 'PROVIDER_UNAVAILABLE' && <StoreDown />}
      <Contention />
      <Tabs
        value={view}
        onChange={(to) => change({ view: to === null || to === 'keys' ? undefined : to }, true)}
        keepMounted={false}
      >
        <Tabs.List>
          <Tabs.Tab value="keys">Locks by key</Tabs.Tab>
          <Tabs.Tab value="waits">Who waits for whom</Tabs.Tab>
          {hasLab && <Tabs.Tab value="lab">Lock lab</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="keys" className={classes.view}>
          {all.data !== undefined && <Figures {...all.data} />}
          <div className={classes.tools}>
            <SearchField parameter="prefix" label="Key begins with" />
            <Select
              size="xs"
              w={170}
              aria-label="Holder"
              placeholder="Any holder"
              clearable
              clearButtonProps={{ 'aria-label': 'Any holder' }}
              data={[...new Set(all.data?.locks.flatMap(({ holder }) => holder?.name ?? []))].sort()}
              value={search.holder ?? null}
              onChange={(holder) => change({ holder: holder ?? undefined, cursor: undefined }, true)}
            />
            <Select
              size="xs"
              w={180}
              aria-label="Held for"
              allowDeselect={false}
              data={OLDER}
              value={OLDER.find(({ value }) => value === search.older)?.value ?? '0'}
              onChange={(older) => change({ older: older === '0' ? undefined : (older ?? undefined) }, true)}
            />
          </div>
          {folders.length === 0 ? (
            list
          ) : (
            <div className={folderNav.split}>
              <FolderNav
                label="Keys by prefix"
                to="/locks"
                all={`${all.data?.locks.length ?? 0}${more}`}
                items={folders.map(({ prefix, label, depth, count, stale }) => ({
                  ...{ key: prefix, label, depth, count: `${count}${more}`, search: { prefix } },
                  isOpen: search.prefix === prefix,
                  alarm: stale === 0 ? undefined : `${stale} stale`,
                }))}
              />
              {list}
            </div>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="waits" className={classes.view}>
          <WaitGraph />
        </Tabs.Panel>
        {lab !== undefined && hasLab && (
          <Tabs.Panel value="lab" className={classes.view}>
            <LockLab tracks={lab.tracks} />
          </Tabs.Panel>
        )}
      </Tabs>
      {search.lock !== undefined && <LockPanel lockKey={search.lock} close={() => change({ lock: undefined }, true)} />}
    </Page>
  )
}

/** By holder and age only this page can filter, among the first thousand; by prefix the server does. */
function Locks({ query }: { readonly query: Parameters<typeof List<Lock>>[0]['query'] }) {
  const [search, change] = useUrlSearch()
  const isFiltered = search.holder !== undefined || search.older !== undefined
  const many = useQuery({
    ...manyLocksQuery(search.prefix),
    enabled: isFiltered,
    refetchInterval: usePollMs(2_000, 2_000),
  })
  const found = filterLocks(
    many.data?.locks ?? [],
    { holder: search.holder, olderMs: Number(search.older ?? 0) },
    serverNow(),
  )
  const shown: PageOf<Lock> | undefined = many.data && {
    items: found,
    page: { next: null, prev: null, limit: found.length },
    count: { value: found.length, exact: !many.data.isCut },
  }
  return (
    <List
      name="locks"
      noun="lock"
      query={isFiltered ? { ...many, data: shown, refetch: () => many.refetch() } : query}
      columns={['Key', 'State', 'Holder', 'Fence', 'Since', 'Expires', { label: 'In the queue', right: true }]}
      empty={
        <Empty
          icon={<LockKeyhole size={22} />}
          title={isFiltered ? 'No lock fits' : search.prefix ? 'No lock begins with that' : 'Nothing is locked'}
        >
          {isFiltered
            ? 'Another holder or a shorter time may show some.'
            : 'A lock appears here while somebody holds it or waits for it.'}
        </Empty>
      }
      row={(lock) => <LockRow key={lock.key} lock={lock} open={() => change({ lock: lock.key }, true)} />}
    />
  )
}

function Figures({ locks, isCut }: ManyLocks) {
  const { held, waited, stale, inHand } = lockFigures(locks)
  const text = (count: number): string => `${count.toLocaleString('en')}${isCut ? '+' : ''}`
  return (
    <dl className={classes.figures} data-testid="lock-counts">
      {(
        [
          ['Held', held, false],
          ['Waited for', waited, false],
          ['Stale', stale, stale > 0],
          ['Instances in hand', inHand, false],
        ] as const
      ).map(([name, count, isBad]) => (
        <div key={name} data-bad={isBad}>
          <dt>{name}</dt>
          <dd className="num">{text(count)}</dd>
        </div>
      ))}
    </dl>
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

/** Ids of instances are long, and alike up to their ends. */
const keyText = ({ key, kind, holder }: Lock): string =>
  kind === 'instance' && holder !== null && holder.instanceId !== null
    ? key.replace(holder.instanceId, shortId(holder.instanceId))
    : key

function LockRow({ lock, open }: { readonly lock: Lock; readonly open: () => void }) {
  return (
    <tr>
      <td>
        <button type="button" className={`${classes.key} mono link`} title={lock.key} onClick={open}>
          {keyText(lock)}
        </button>
        <span className={classes.kind}>
          {lock.kind}
          {lock.holders > 1 && ` ×${lock.holders}`}
        </span>
      </td>
      <td>
        <LockFlags lock={lock} />
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
