import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { instanceQuery } from '../../api/queries.ts'
import { usePollMs } from '../../live/live-state.ts'
import { StatusChip } from '../../ui/status.tsx'
import { Took } from '../../ui/time.tsx'
import { shortId } from '../../ui/time-text.ts'
import type { Execution } from './executions.ts'
import { MiniGraph } from './mini-graph.tsx'

/** The instance that a step started and waits for, or waited for. */
export function childOf({ wait }: Pick<Execution, 'wait'>): string | undefined {
  if (wait?.kind !== 'child' || typeof wait.instanceId !== 'string') return undefined
  return wait.instanceId.startsWith('wfi_') ? wait.instanceId : `wfi_${wait.instanceId}`
}

/** How the other workflow stands, and its graph for whoever wants to look inside. */
export function ChildRun({ instanceId }: { readonly instanceId: string }) {
  const [open, setOpen] = useState(false)
  const { data } = useQuery({ ...instanceQuery(instanceId), refetchInterval: usePollMs(2_000), retry: false })
  return (
    <div data-testid="child-run">
      <h3>The workflow it runs</h3>
      <p style={{ display: 'flex', alignItems: 'center', gap: 8, margin: '0 0 8px' }}>
        <Link to="/instances/$instanceId" params={{ instanceId }} className="mono link">
          {shortId(instanceId)}
        </Link>
        {data !== undefined && (
          <>
            <StatusChip status={data.status} />
            <span className="small muted">
              {data.definitionId}, <Took from={data.createdAt} to={data.finishedAt} />
            </span>
          </>
        )}
      </p>
      {data !== undefined && (
        <Button
          size="compact-xs"
          variant="default"
          aria-expanded={open}
          leftSection={open ? <ChevronDown size={13} /> : <ChevronRight size={13} />}
          onClick={() => setOpen(!open)}
          mb={8}
        >
          {open ? 'Fold its graph' : 'Look inside'}
        </Button>
      )}
      {open && data !== undefined && <MiniGraph instance={data} />}
    </div>
  )
}
