import { Button, Skeleton } from '@mantine/core'
import { CircleAlert, RefreshCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type Problem, toProblem } from '../api/problem.ts'
import { serverRoot } from '../browser/place.ts'
import { after } from '../browser/time.ts'
import { useLive } from '../live/live-state.ts'
import classes from './area.module.css'
import { CopyButton } from './copy-button.tsx'

interface Asked<T> {
  readonly data: T | undefined
  readonly error: unknown
  readonly isFetching: boolean
  refetch(): unknown
}

interface AreaProps<T> {
  readonly name: string
  readonly query: Asked<T>
  /** Whether what came has nothing to show. */
  readonly isEmpty?: (data: T) => boolean
  readonly empty?: React.ReactNode
  /** What is shown where the server knows nothing by this id; without it that is a problem like others. */
  readonly missing?: React.ReactNode
  /** Rows of the skeleton. */
  readonly rows?: number
  readonly children: (data: T) => React.ReactNode
}

/** One part of a page that shows something of the server: loading, empty, error, ready or stale. The rest of the page goes on without it. */
export function Area<T>({ name, query, isEmpty, empty, missing, rows = 6, children }: AreaProps<T>) {
  const stale = useLive((live) => live.mode === 'stale')
  const { data, error } = query
  const retry = (): unknown => query.refetch()
  if (data === undefined && error) {
    const problem = toProblem(error)
    if (missing !== undefined && problem.status === 404)
      return (
        <div data-testid={`${name}-empty`}>
          {missing}
          <p className={`${classes.code} small muted mono`}>
            <ProblemCode problem={problem} />
          </p>
        </div>
      )
    return <ProblemCard name={name} error={error} retry={retry} />
  }
  if (data === undefined) return <Loading name={name} rows={rows} />
  const state = error || stale ? 'stale' : isEmpty?.(data) === true ? 'empty' : 'ready'
  return (
    <div data-testid={`${name}-${state}`} data-state={state} className={classes.area}>
      {error && !stale ? <NotRefreshed error={error} retry={retry} /> : null}
      {isEmpty?.(data) === true && empty !== undefined ? empty : children(data)}
    </div>
  )
}

/** One part was not answered while the server is there: when nothing is, the mark in the bar says so for the whole page. */
function NotRefreshed({ error, retry }: { readonly error: unknown; readonly retry: () => unknown }) {
  return (
    <p className={classes.old} role="status">
      <CircleAlert size={14} aria-hidden />
      <span>What you see here may be old: {toProblem(error).title}.</span>
      <button type="button" onClick={() => retry()}>
        Try again
      </button>
    </p>
  )
}

/** Its true size, and only when the answer takes its time: a flash of grey is worse than nothing. */
function Loading({ name, rows }: { readonly name: string; readonly rows: number }) {
  const [shown, show] = useState(false)
  useEffect(() => after(150, () => show(true)), [])
  return (
    <div data-testid={`${name}-loading`} aria-busy="true" className={classes.loading}>
      {shown && Array.from({ length: rows }, (_, row) => <Skeleton key={String(row)} height={20} radius={4} />)}
      <span className="visually-hidden">Loading</span>
    </div>
  )
}

/** Leads to the page that tells of this kind of problem. */
function ProblemCode({ problem }: { readonly problem: Problem }) {
  if (problem.page === undefined) return problem.code
  return (
    <a className="link" href={`${serverRoot}${problem.page}`} target="_blank" rel="noreferrer">
      {problem.code}
    </a>
  )
}

export function ProblemCard(props: { readonly name: string; readonly error: unknown; readonly retry?: () => unknown }) {
  const problem = toProblem(props.error)
  return (
    <div data-testid={`${props.name}-error`} role="alert" className={classes.problem}>
      <CircleAlert size={18} aria-hidden className={classes.problemIcon} />
      <div className={classes.problemText}>
        <strong>{problem.title}</strong>
        {problem.detail !== '' && <p>{problem.detail}</p>}
        <p className="small muted mono">
          <ProblemCode problem={problem} />
          {problem.traceId !== undefined && ` · ${problem.traceId}`}
          <CopyButton
            text={`${problem.code} ${problem.title}\n${problem.detail}\n${problem.traceId ?? ''}`}
            what="report"
          />
        </p>
      </div>
      {props.retry !== undefined && (
        <Button variant="default" size="xs" leftSection={<RefreshCw size={14} />} onClick={() => props.retry?.()}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** Says what would be here, and one thing to do about it. */
export function Empty(props: {
  readonly icon: React.ReactNode
  readonly title: string
  readonly children?: React.ReactNode
  readonly action?: React.ReactNode
}) {
  return (
    <div className={classes.empty}>
      <span className={classes.emptyIcon}>{props.icon}</span>
      <strong>{props.title}</strong>
      {props.children !== undefined && <p className="muted">{props.children}</p>}
      {props.action}
    </div>
  )
}
