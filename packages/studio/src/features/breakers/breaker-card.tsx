import { Group } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import { hostMonotonic } from '../../browser/time.ts'
import { MayButton } from '../../ui/may-button.tsx'
import { useNow } from '../../ui/now.ts'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { ToneChip } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import { clockText } from '../../ui/time-text.ts'
import classes from './breakers.module.css'
import type { Breaker } from './breakers-queries.ts'
import { HistoryStrip } from './history-strip.tsx'
import { TripDialog } from './trip-dialog.tsx'

const looks = {
  closed: ['Closed', 'completed', 'Everything is let through.'],
  open: ['Open', 'faulted', 'Nothing is let through. Steps wait.'],
  'half-open': ['Half-open', 'retrying', 'One attempt is let through, to see.'],
} as const

export function BreakerCard({ breaker, readAt }: { readonly breaker: Breaker; readonly readAt: number }) {
  const [asked, ask] = useState<'trip' | 'reset'>()
  const [label, tone, means] = looks[breaker.state]
  return (
    <article className={classes.card} data-testid="breaker" data-state={breaker.state}>
      <header>
        <h2 className="mono clip" title={breaker.key}>
          {breaker.key}
        </h2>
        <ToneChip tone={tone}>{label}</ToneChip>
      </header>
      <States now={breaker.state} />
      <p className="small muted">{means}</p>
      {breaker.state === 'open' && <Countdown breaker={breaker} readAt={readAt} />}
      <dl>
        <div>
          <dt>Last reason</dt>
          <dd title={breaker.reason ?? ''}>{breaker.reason ?? '–'}</dd>
        </div>
        {breaker.waiting !== undefined && (
          <div>
            <dt>Waits for it</dt>
            <dd>
              <Waiting count={breaker.waiting} steps={breaker.waitingSteps ?? []} />
            </dd>
          </div>
        )}
        <div>
          <dt>Opened</dt>
          <dd>
            <When at={breaker.openedAt} none="never" />
          </dd>
        </div>
        <div>
          <dt>Changed</dt>
          <dd>
            <When at={breaker.changedAt} />{' '}
            <span className="muted">
              · {breaker.generation} {breaker.generation === 1 ? 'change' : 'changes'} in all
            </span>
          </dd>
        </div>
      </dl>
      {breaker.history !== undefined && <HistoryStrip history={breaker.history} />}
      <Group gap={8} className={classes.buttons!}>
        <MayButton
          size="xs"
          variant="default"
          permission="flow:operate"
          fault={breaker.state === 'closed' ? 'It is closed' : undefined}
          onClick={() => ask('reset')}
        >
          Close now
        </MayButton>
        <MayButton size="xs" variant="default" permission="flow:operate" onClick={() => ask('trip')}>
          Open…
        </MayButton>
      </Group>
      {asked === 'trip' && <TripDialog breakerKey={breaker.key} close={() => ask(undefined)} />}
      {asked === 'reset' && <ResetDialog breaker={breaker} close={() => ask(undefined)} />}
    </article>
  )
}

const COUNTED = 100
const SHOWN = 3

/** Whom it holds back, the first of them by name. */
function Waiting(props: { readonly count: number; readonly steps: NonNullable<Breaker['waitingSteps']> }) {
  if (props.count === 0) return <span className="muted">nothing</span>
  return (
    <span className={classes.waiting} data-testid="breaker-waiting">
      <span className="num">
        {props.count >= COUNTED ? `${COUNTED}+` : props.count} {props.count === 1 ? 'step' : 'steps'}
      </span>
      {props.steps.slice(0, SHOWN).map(({ instanceId, step }) => (
        <Link
          key={`${instanceId} ${step}`}
          to="/instances/$instanceId"
          params={{ instanceId }}
          className="mono small link"
          title={`${step} of ${instanceId}`}
        >
          …{instanceId.slice(-6)}
        </Link>
      ))}
    </span>
  )
}

/** The three states in the order they follow each other; the present one is marked. */
function States({ now }: { readonly now: Breaker['state'] }) {
  return (
    <ol className={classes.states} aria-label="States">
      {(['closed', 'open', 'half-open'] as const).map((state) => (
        <li key={state} data-now={state === now} data-state={state} aria-current={state === now ? 'step' : undefined}>
          {looks[state][0]}
        </li>
      ))}
    </ol>
  )
}

/** By the time that has passed since the answer, not by any clock. */
function Countdown({ breaker, readAt }: { readonly breaker: Breaker; readonly readAt: number }) {
  useNow()
  const left = Math.max(0, breaker.openForMs - (hostMonotonic() - readAt))
  return (
    <p className={classes.countdown}>
      {left === 0 ? (
        'The next attempt is a probe'
      ) : (
        <>
          A probe may be made in <strong className="num">{clockText(left)}</strong>
        </>
      )}
    </p>
  )
}

function ResetDialog({ breaker, close }: { readonly breaker: Breaker; readonly close: () => void }) {
  const client = useQueryClient()
  const reset = useMutation({
    mutationFn: (reason: string) =>
      call('POST', `/circuit-breakers/${encodeURIComponent(breaker.key)}/reset`, {
        body: reason === '' ? {} : { reason },
      }),
    onSuccess: async () => {
      close()
      await client.invalidateQueries({ queryKey: ['breakers'] })
    },
  })
  return (
    <ReasonDialog
      title={`Close ${breaker.key}`}
      effect="Everything is let through again at once, and steps that wait for it go on."
      label="Close it"
      reasonLabel="Reason"
      pending={reset.isPending}
      problem={reset.error === null ? undefined : toProblem(reset.error)}
      close={close}
      confirm={(reason) => reset.mutate(reason)}
    />
  )
}
