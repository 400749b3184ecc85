import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { nodesQuery } from '../../api/queries.ts'
import type { Instance, StateAt, Why } from '../../api/wire.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { StatusChip } from '../../ui/status.tsx'
import { Took, When } from '../../ui/time.tsx'
import { shortId } from '../../ui/time-text.ts'
import classes from './instance.module.css'
import { Verbs } from './verbs.tsx'

export function InstanceHead(props: {
  readonly instance: Instance
  /** Of the workflow, in the version that it runs. */
  readonly name: string | undefined
  readonly past: StateAt | undefined
  /** Of an instance that is open, as soon as it is known. */
  readonly why: Why | undefined
}) {
  const { instance, name, past, why } = props
  const { id, definitionId, version, correlationId, nodeId } = instance
  const { data: nodes } = useQuery(nodesQuery())
  const holder = nodes?.items.find((node) => node.id === nodeId)?.name
  return (
    <header className={classes.head}>
      <div>
        <div className={classes.title}>
          <h1>
            <Link to="/definitions/$definitionId" params={{ definitionId }} className="link-plain">
              {name ?? definitionId}
            </Link>{' '}
            <span className="muted">v{version}</span>
          </h1>
          <StatusChip
            status={past?.status ?? instance.status}
            {...(past === undefined ? {} : { label: `Was ${past.status}` })}
          />
        </div>
        <div className={classes.meta}>
          {name !== undefined && name !== definitionId && <span className="mono">{definitionId}</span>}
          <span className="mono" title={id}>
            {shortId(id)}
            <CopyButton text={id} what="instance id" />
          </span>
          {correlationId !== null && (
            <span className="mono">
              {correlationId}
              <CopyButton text={correlationId} what="correlation id" />
            </span>
          )}
          <span>
            Started <When at={instance.createdAt} />
          </span>
          <span data-testid="duration">
            {instance.finishedAt === null ? 'Open for' : 'Took'}{' '}
            <Took from={instance.createdAt} to={instance.finishedAt} />
          </span>
          {nodeId !== null && <span>On {holder ?? shortId(nodeId)}</span>}
          {nodeId !== null && why?.heldBy?.nodeId === nodeId && (
            <span data-testid="fence">
              <Link to="/locks" search={{ lock: `workflow:${id}` } as never} className="link">
                Lock
              </Link>{' '}
              with fence <span className="num">{why.heldBy.claimNo}</span>
            </span>
          )}
        </div>
        {instance.finishedAt === null && past === undefined && <WhyLine why={why} />}
      </div>
      <Verbs instance={instance} />
    </header>
  )
}

/** Why it stands where it stands, in a sentence, and what a person can do about it. */
function WhyLine({ why: data }: { readonly why: Why | undefined }) {
  if (data === undefined) return <p className={classes.why}>&nbsp;</p>
  return (
    <p className={classes.why} data-testid="why">
      {data.text}
      {data.advice.map((each) => (
        <span key={each} className="muted">
          {' '}
          {/[.!?]$/.test(each) ? each : `${each}.`}
        </span>
      ))}
    </p>
  )
}
