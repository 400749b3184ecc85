import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Unlock } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import { lockQuery } from '../../api/queries.ts'
import type { LockDetail } from '../../api/wire.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { Facts } from '../../ui/page.tsx'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { SidePanel } from '../../ui/side-panel.tsx'
import { When } from '../../ui/time.tsx'
import { Fence } from './fence.tsx'
import { Holder } from './holder.tsx'
import { LockFlags } from './lock-flags.tsx'
import classes from './locks.module.css'
import { Ttl } from './ttl.tsx'

export function LockPanel({ lockKey, close }: { readonly lockKey: string; readonly close: () => void }) {
  const query = useQuery({ ...lockQuery(lockKey), refetchInterval: usePollMs(2_000, 2_000) })
  return (
    <SidePanel title={<strong className="mono">{lockKey}</strong>} close={close}>
      <Area
        name="lock"
        query={query}
        rows={6}
        missing={<p className="muted">Nobody holds this lock or waits for it.</p>}
      >
        {(lock) => <LockParts lock={lock} />}
      </Area>
    </SidePanel>
  )
}

function LockParts({ lock }: { readonly lock: LockDetail }) {
  return (
    <>
      <Facts
        items={[
          ['State', <LockFlags key="state" lock={lock} />],
          ['Kind', lock.kind],
          ['Holder', <Holder key="holder" holder={lock.holder} />],
          ['Fence', <Fence key="fence" fence={lock.fence} />],
          ['Since', <When key="since" at={lock.acquiredAt} />],
          ['Expires', <Ttl key="ttl" lock={lock} />],
        ]}
      />
      {lock.kind !== 'instance' && lock.state !== 'free' && <Release lock={lock} />}
      <Sides
        title={`Waiting · ${lock.waiters}`}
        sides={lock.queue.map((each) => ({ name: each.name ?? '–', at: each.since, note: each.share }))}
      />
      {lock.held.length > 1 && (
        <Sides
          title={`Holders · ${lock.held.length}`}
          sides={lock.held.map((each) => ({
            name: each.name ?? '–',
            at: each.since,
            note: `${each.share}, fence ${each.fence}`,
          }))}
        />
      )}
      <Sides
        title="Lately"
        sides={lock.history.map((each) => ({
          name: each.name ?? '–',
          at: each.at,
          note: `${each.kind}, fence ${each.fence}${each.reason === null ? '' : `: ${each.reason}`}`,
        }))}
      />
    </>
  )
}

function Sides(props: {
  readonly title: string
  readonly sides: readonly { readonly name: string; readonly at: string | null; readonly note: string }[]
}) {
  return (
    <section className={classes.part}>
      <h3>{props.title}</h3>
      {props.sides.length === 0 ? (
        <span className="muted">Nobody</span>
      ) : (
        <ul>
          {props.sides.map((side) => (
            <li key={`${side.name} ${side.at} ${side.note}`}>
              <span>
                {side.name} <span className="muted small">{side.note}</span>
              </span>
              <span className="muted small">
                <When at={side.at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** A stale lock is let go with a reason; one that is alive asks for its key as well. */
function Release({ lock }: { readonly lock: LockDetail }) {
  const [open, setOpen] = useState(false)
  const client = useQueryClient()
  const release = useMutation({
    mutationFn: (reason: string) =>
      call<{ released: number }>('POST', `/locks/${encodeURIComponent(lock.key)}/release`, { body: { reason } }),
    onSuccess: async ({ released }) => {
      setOpen(false)
      notifications.show({ message: `${released} ${released === 1 ? 'lease was' : 'leases were'} ended` })
      await client.invalidateQueries({ queryKey: ['locks'] })
    },
  })
  const stale = lock.state === 'stale'
  return (
    <>
      <MayButton
        mt="md"
        size="xs"
        permission="locks:release"
        variant={stale ? 'filled' : 'default'}
        leftSection={<Unlock size={14} />}
        onClick={() => setOpen(true)}
      >
        {stale ? 'Release the stale lock' : 'Take it from its holder…'}
      </MayButton>
      {open && (
        <ReasonDialog
          title={`Release ${lock.key}`}
          effect={
            stale ? (
              'Its holder is gone and nobody renews it. The next who waits gets it, with a greater fence.'
            ) : (
              <>
                {lock.holder?.name ?? 'Its holder'} is alive and may be at work. The fence is raised, so that its late
                writes are refused where fences are checked. Elsewhere they are not.
              </>
            )
          }
          label="Release"
          reasonLabel="Reason"
          reasonRequired
          {...(stale ? {} : { typed: lock.key })}
          danger={!stale}
          pending={release.isPending}
          problem={release.error === null ? undefined : toProblem(release.error)}
          close={() => {
            release.reset()
            setOpen(false)
          }}
          confirm={(reason) => release.mutate(reason)}
        />
      )}
    </>
  )
}
