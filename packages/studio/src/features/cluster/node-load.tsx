import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { usePollMs } from '../../live/live-state.ts'
import { metricsQuery } from '../metrics/metrics-query.ts'
import { Fact } from './fact.tsx'

/** What the node wrote down last of its own load: once a minute. */
export function NodeLoad({ nodeId }: { readonly nodeId: string }) {
  const { data } = useQuery({ ...metricsQuery('15m', nodeId), refetchInterval: usePollMs(30_000, 30_000) })
  const [loop, memory] = [latest(data?.curves.eventLoop), latest(data?.curves.memoryBytes)]
  // Before its first minute is over it has written down nothing.
  if (loop === undefined || memory === undefined || memory === 0) return null
  return (
    <Fact name="Load">
      <Link to="/insights" search={{ node: nodeId } as never} title="Its figures">
        {Math.round(loop * 100)} % busy <span className="muted">· {Math.round(memory / 1_048_576)} MiB</span>
      </Link>
    </Fact>
  )
}

const latest = (values: readonly (number | null)[] | undefined): number | undefined =>
  values?.findLast((value) => value !== null) ?? undefined
