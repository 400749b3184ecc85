import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { OctagonX } from 'lucide-react'
import { useState } from 'react'
import { incidentGroupsQuery, incidentsQuery } from '../../api/queries.ts'
import type { Activity, ActivityTally, GraphDocument, Instance, StateAt } from '../../api/wire.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { When } from '../../ui/time.tsx'
import { careLines } from '../incidents/care.ts'
import classes from './instance.module.css'
import { activityOf } from './step-key.ts'
import { VariablesDialog } from './variables-dialog.tsx'

/** What went wrong, before anything else. */
export function ErrorCard(props: {
  readonly instance: Instance
  readonly activities: ReadonlyMap<string, Activity> | undefined
  readonly tallies: readonly ActivityTally[]
  readonly state: StateAt | undefined
  readonly document: GraphDocument | undefined
  readonly select: (step: string) => void
}) {
  const { instance } = props
  const [retrying, retry] = useState(false)
  const failure = instance.error ?? instance.incidents[0]
  const { data: incidents } = useQuery({
    ...incidentsQuery({ instance: instance.id, limit: 1 }),
    enabled: failure !== undefined && failure !== null,
  })
  const incident = incidents?.items[0]
  const { data: groups } = useQuery({
    ...incidentGroupsQuery({ fingerprint: incident?.fingerprint, limit: 1 }),
    enabled: incident !== undefined,
  })
  if (failure === undefined || failure === null) return <span hidden />
  const step = failure.step ?? undefined
  const group = groups?.items[0]
  const alike = group?.open
  const tally = props.tallies.find(({ activity }) => activity === (step === undefined ? '' : activityOf(step)))
  const attempts = tally?.step === step ? (tally?.retries ?? 0) + 1 : 1
  const name = step === undefined ? undefined : (props.activities?.get(activityOf(step))?.name ?? step)
  return (
    <section className={classes.error} role="alert" data-testid="error-card">
      <OctagonX size={18} aria-hidden />
      <div>
        <h2>{failure.message}</h2>
        <p className="small">
          <span className="mono">{failure.code}</span>
          {step !== undefined && (
            <>
              {' at '}
              <button type="button" className={classes.text} onClick={() => props.select(step)}>
                {name}
              </button>
            </>
          )}
          {attempts > 1 && tally?.runs === 1 && `, attempt ${attempts}`}
          {incident !== undefined && (
            <>
              {', '}
              <When at={incident.openedAt} />
              {' · '}
              <Link to="/incidents" search={{ fingerprint: incident.fingerprint } as never} className={classes.text}>
                {alike === undefined || alike < 2
                  ? 'All that are alike'
                  : `${alike.toLocaleString('en')} that are alike`}
              </Link>
              {group !== undefined &&
                careLines(group).map(({ kind, text }) => <span key={kind}> · {text.split(',')[0]}</span>)}
            </>
          )}
        </p>
      </div>
      {instance.status === 'faulted' && (
        <MayButton size="xs" variant="default" permission="instances:operate" onClick={() => retry(true)}>
          Retry with other values…
        </MayButton>
      )}
      <CopyButton
        text={`${failure.code}: ${failure.message}${step === undefined ? '' : `\nat ${step}`}\n${instance.id}`}
        what="error"
      />
      {retrying && (
        <VariablesDialog
          instance={instance}
          state={props.state}
          document={props.document}
          retry={name === undefined ? {} : { name }}
          close={() => retry(false)}
        />
      )}
    </section>
  )
}
