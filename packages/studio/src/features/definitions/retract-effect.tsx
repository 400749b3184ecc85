import { useQuery } from '@tanstack/react-query'
import { toProblem } from '../../api/problem.ts'
import { consumersQuery, schedulesQuery, versionQuery } from '../../api/queries.ts'
import { consumersText, MOST_NAMED, runningText, schedulesText } from './retract-words.ts'

/** Who notices: what runs now, the schedules that start it, and the workflows that run it. */
export function RetractEffect({ id, version }: { readonly id: string; readonly version: number | null }) {
  const current = useQuery({ ...versionQuery(id, version ?? 1), enabled: version !== null })
  const schedules = useQuery(schedulesQuery({ definition: id, limit: MOST_NAMED + 1 }))
  const consumers = useQuery(consumersQuery(id, MOST_NAMED + 1))
  const pinned = current.data?.pinned
  return (
    <ul data-testid="retract-effect">
      <Lines query={current} lines={pinned && [runningText(pinned, version)]} />
      <Lines query={schedules} lines={schedules.data && [schedulesText(schedules.data.items)]} />
      <Lines query={consumers} lines={consumers.data && consumersText(consumers.data.items)} />
    </ul>
  )
}

/** What cannot be read is said: nobody should take it for nothing. */
function Lines(props: {
  readonly query: { readonly error: Error | null }
  readonly lines: readonly string[] | undefined
}) {
  const { query, lines } = props
  if (query.error !== null) return <li>Not known: {toProblem(query.error).title}</li>
  return (lines ?? ['…']).map((line) => <li key={line}>{line}</li>)
}
