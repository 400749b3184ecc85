import { CircleCheck, OctagonX, TriangleAlert } from 'lucide-react'
import { ToneChip } from '../../ui/status.tsx'
import classes from './import.module.css'
import type { ElsaNote, ImportReport } from './import-report.ts'

const outcomes = {
  created: ['completed', 'New'],
  'new-draft': ['running', 'Changes the draft'],
  unchanged: ['queued', 'As it is already'],
  invalid: ['faulted', 'Cannot be taken'],
  conflict: ['faulted', 'Changed meanwhile'],
} as const

/** What would happen, document by document, with the place of each problem. */
export function ImportResult({ report }: { readonly report: ImportReport }) {
  return (
    <div className={classes.result} data-testid="import-result">
      {report.documents.map(({ index, id, outcome, problems }) => (
        <section key={index} data-outcome={outcome}>
          <h3>
            <span className="mono">{id ?? `Document ${index + 1}`}</span>
            <ToneChip tone={outcomes[outcome][0]}>{outcomes[outcome][1]}</ToneChip>
          </h3>
          {problems.length === 0 && (
            <p>
              <CircleCheck size={14} aria-hidden /> No problems found.
            </p>
          )}
          <ul>
            {problems.map((problem) => (
              <li key={`${problem.pointer} ${problem.text}`} data-severity={problem.severity}>
                {problem.severity === 'error' ? (
                  <OctagonX size={14} aria-label="Error" />
                ) : (
                  <TriangleAlert size={14} aria-label="Warning" />
                )}
                {problem.line !== undefined && (
                  <span className="mono num">
                    {problem.line}:{problem.column}
                  </span>
                )}
                <span>
                  {problem.text} <span className="mono small muted">{problem.pointer}</span>
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {report.elsa !== undefined && <ElsaReport elsa={report.elsa} />}
    </div>
  )
}

const kinds: Readonly<Record<ElsaNote['kind'], string>> = {
  'not-mapped': 'Not taken over',
  partly: 'Differs',
  'missing-type': 'Type not here',
}

function ElsaReport({ elsa }: { readonly elsa: NonNullable<ImportReport['elsa']> }) {
  return (
    <section data-testid="elsa-report">
      <h3>From Elsa 3</h3>
      <p>
        {elsa.mappedCount} of {elsa.activityCount} activities have a counterpart.
        {elsa.complete ? ' Nothing else to look at.' : ''}
      </p>
      <ul>
        {elsa.notes.map((note) => (
          <li key={`${note.pointer} ${note.reason}`} data-severity={note.kind === 'not-mapped' ? 'error' : 'warning'}>
            <TriangleAlert size={14} aria-hidden />
            <ToneChip tone={note.kind === 'not-mapped' ? 'faulted' : 'retrying'}>{kinds[note.kind]}</ToneChip>
            <span>
              <span className="mono">{note.elsaType}</span> {note.reason}.{' '}
              <span className="muted">{note.suggestion}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
