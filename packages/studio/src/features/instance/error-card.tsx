import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { OctagonX } from 'lucide-react'
import { incidentsQuery } from '../../api/queries.ts'
import type { Activity, Instance } from '../../api/wire.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { When } from '../../ui/time.tsx'
import classes from './instance.module.css'

/** What went wrong, before anything else. */
export function ErrorCard(props: {
  readonly instance: Instance
  readonly activities: ReadonlyMap<string, Activity> | undefined
  readonly select: (step: string) => void
}) {
  const { instance } = props
  const failure = instance.error ?? instance.incidents[0]
  const { data: incidents } = useQuery({
    ...incidentsQuery({ instance: instance.id, limit: 1 }),
    enabled: failure !== undefined && failure !== null,
  })
  if (failure === undefined || failure === null) return <span hidden />
  const step = failure.step ?? undefined
  const incident = incidents?.items[0]
  const name = step === undefined ? undefined : (props.activities?.get(step)?.name ?? step)
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
          {incident !== undefined && (
            <>
              {', '}
              <When at={incident.openedAt} />
              {' · '}
              <Link to="/incidents" search={{ fingerprint: incident.fingerprint } as never} className={classes.text}>
                All that are alike
              </Link>
            </>
          )}
        </p>
      </div>
      <CopyButton
        text={`${failure.code}: ${failure.message}${step === undefined ? '' : `\nat ${step}`}\n${instance.id}`}
        what="error"
      />
    </section>
  )
}
