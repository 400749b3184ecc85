import { CornerDownRight } from 'lucide-react'
import { toProblem } from '../api/problem.ts'
import type { Instance } from '../api/wire.ts'
import classes from './expression-field.module.css'
import type { Evaluated } from './past-runs.ts'
import { PickRun } from './pick-run.tsx'

const LONGEST = 400

/** What the expression gives, and the run that says so. */
export function ExpressionPreview(props: {
  readonly runs: readonly Instance[]
  readonly picked: string | undefined
  readonly pick: (instanceId: string) => void
  readonly evaluated: Evaluated | undefined
  readonly problem: string | undefined
  readonly error: unknown
}) {
  const { evaluated } = props
  const wrong = evaluated !== undefined && evaluated.status !== 'value'
  return (
    <div className={classes.preview}>
      {props.picked === undefined ? (
        <p className="small muted" data-testid="preview-none">
          {props.problem ?? 'Run the workflow once, or test it, to see values here.'}
        </p>
      ) : (
        <>
          <output className={classes.value} data-testid="preview-value" data-status={evaluated?.status ?? 'none'}>
            <CornerDownRight size={13} aria-hidden />
            <span className={wrong ? classes.wrong : classes.right}>{textOf(evaluated, props.error)}</span>
          </output>
          <PickRun runs={props.runs} picked={props.picked} pick={props.pick} />
        </>
      )}
      {evaluated?.exact === false && evaluated.status === 'value' && (
        <p className="small muted">That run never came to this step: outer values only.</p>
      )}
    </div>
  )
}

function textOf(evaluated: Evaluated | undefined, error: unknown): string {
  if (error !== null && error !== undefined) return toProblem(error).title
  if (evaluated === undefined) return '–'
  if (evaluated.status !== 'value') return evaluated.message ?? ''
  const text = JSON.stringify(evaluated.value) ?? 'null'
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
