import { useQuery } from '@tanstack/react-query'
import { When } from '../../ui/time.tsx'
import { auditOfWorkflowQuery } from '../versions/audit-of-workflow.ts'
import classes from './publish.module.css'
import { saversOf } from './savers.ts'

/** Whose work goes out: everybody who saved the draft since the version that is replaced. */
export function SavedBy(props: { readonly definitionId: string; readonly since: string | null | undefined }) {
  const { data } = useQuery(auditOfWorkflowQuery(props.definitionId, ['saveWorkflowDraft']))
  const savers = saversOf(data ?? [], props.since)
  if (savers.length === 0) return null
  return (
    <ul className={classes.savers} aria-label="Saved by" data-testid="saved-by">
      {savers.map(({ who, times, lastAt }) => (
        <li key={who}>
          <strong>{who}</strong> saved {times === 1 ? 'once' : `${times.toLocaleString('en')} times`}, last{' '}
          <When at={lastAt} />
        </li>
      ))}
    </ul>
  )
}
