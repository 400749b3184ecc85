import { Select } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Unlock } from 'lucide-react'
import { useState } from 'react'
import { toProblem } from '../../api/problem.ts'
import { Area } from '../../ui/area.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { useNow } from '../../ui/now.ts'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { When } from '../../ui/time.tsx'
import classes from './locks.module.css'
import { heldFor, releaseStale, type StaleLocks, staleLocksQuery } from './stale-locks.ts'

const SHOWN = 8

const ages = [
  { value: '0', label: 'However long' },
  { value: '60000', label: 'A minute or longer' },
  { value: '600000', label: 'Ten minutes or longer' },
  { value: '3600000', label: 'An hour or longer' },
]

/** Lets go of every lock whose holder is gone, of those that begin alike and are old enough. */
export function ReleaseStale({ prefix }: { readonly prefix: string | undefined }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <MayButton
        size="xs"
        variant="default"
        permission="locks:release"
        leftSection={<Unlock size={14} />}
        onClick={() => setOpen(true)}
      >
        Release stale locks…
      </MayButton>
      {open && <StaleDialog prefix={prefix} close={() => setOpen(false)} />}
    </>
  )
}

function StaleDialog({ prefix, close }: { readonly prefix: string | undefined; readonly close: () => void }) {
  const [age, setAge] = useState('0')
  const query = useQuery(staleLocksQuery(prefix))
  const now = useNow()
  const client = useQueryClient()
  const found = query.data?.locks.filter((lock) => heldFor(lock, now) >= Number(age)) ?? []
  const release = useMutation({
    mutationFn: (reason: string) => releaseStale(found, reason),
    onSuccess: ({ released, kept }) => {
      close()
      notifications.show({
        message: `${locks(released)} released${kept === 0 ? '' : `; ${locks(kept)} left alone: no longer stale`}`,
      })
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['locks'] }),
  })
  return (
    <ReasonDialog
      title={prefix ? `Release stale locks under ${prefix}` : 'Release stale locks'}
      effect={
        <>
          <Select
            label="Held for"
            data={ages}
            value={age}
            allowDeselect={false}
            onChange={(to) => setAge(to ?? '0')}
            mb="sm"
          />
          <Area name="stale-locks" query={query} rows={2}>
            {(all) => <WhatGoes all={all} found={found} />}
          </Area>
        </>
      }
      label={`Release ${locks(found.length)}`}
      reasonLabel="Reason"
      reasonRequired
      blocked={found.length === 0}
      pending={release.isPending}
      problem={release.error === null ? undefined : toProblem(release.error)}
      close={close}
      confirm={(reason) => release.mutate(reason)}
    />
  )
}

function WhatGoes({ all, found }: { readonly all: StaleLocks; readonly found: StaleLocks['locks'] }) {
  return (
    <>
      <p>
        <strong data-testid="stale-count">{found.length.toLocaleString('en')}</strong>{' '}
        {found.length === 1 ? 'lock has a holder that is' : 'locks have holders that are'} gone. Each is looked at once
        more before it is released; who waits for it gets it, with a greater fence.
        {all.cut && ' There are more locks than were looked at: repeat this for the rest.'}
      </p>
      <ul className={classes.staleList}>
        {found.slice(0, SHOWN).map((lock) => (
          <li key={lock.key}>
            <span className="mono clip">{lock.key}</span>
            <span className="muted small">
              {lock.holder?.name ?? '–'}, since <When at={lock.acquiredAt} />
            </span>
          </li>
        ))}
        {found.length > SHOWN && <li className="muted">and {(found.length - SHOWN).toLocaleString('en')} more</li>}
      </ul>
    </>
  )
}

const locks = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'lock' : 'locks'}`
