import { CircleCheck, OctagonX, TriangleAlert } from 'lucide-react'
import classes from './publish.module.css'

export interface WorkflowProblem {
  readonly pointer: string
  readonly code: string
  readonly text: string
  readonly severity: 'error' | 'warning'
}

const MOST = 20

export function Validation({ problems }: { readonly problems: readonly WorkflowProblem[] }) {
  const sorted = [...problems].sort((a, b) => a.severity.localeCompare(b.severity))
  return (
    <section data-testid="publish-validation">
      <h3 className={classes.heading}>Validation</h3>
      {problems.length === 0 && (
        <p className={classes.sound}>
          <CircleCheck size={14} aria-hidden /> No problems found.
        </p>
      )}
      <ul className={classes.problems}>
        {sorted.slice(0, MOST).map(({ pointer, code, text, severity }) => (
          <li key={`${pointer} ${code} ${text}`} data-severity={severity}>
            {severity === 'error' ? (
              <OctagonX size={14} aria-label="Error" />
            ) : (
              <TriangleAlert size={14} aria-label="Warning" />
            )}
            <span>
              {text} <span className="mono small muted">{pointer}</span>
            </span>
          </li>
        ))}
      </ul>
      {problems.length > MOST && <p className="muted">and {problems.length - MOST} more</p>}
    </section>
  )
}
