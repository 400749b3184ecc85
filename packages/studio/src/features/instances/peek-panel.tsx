import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { instanceQuery } from '../../api/queries.ts'
import type { Instance } from '../../api/wire.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Facts } from '../../ui/page.tsx'
import { SidePanel } from '../../ui/side-panel.tsx'
import { StatusChip } from '../../ui/status.tsx'
import { Took, When } from '../../ui/time.tsx'
import { shortId } from '../../ui/time-text.ts'
import { MiniGraph } from '../instance/mini-graph.tsx'
import classes from './instances.module.css'
import { nowText } from './now-text.ts'

/** What one instance is about, without leaving the list: how it stands, what went wrong, its graph. */
export function PeekPanel({ instanceId, close }: { readonly instanceId: string; readonly close: () => void }) {
  const query = useQuery({ ...instanceQuery(instanceId), refetchInterval: usePollMs(2_000) })
  return (
    <SidePanel title={<strong className="mono">{shortId(instanceId)}</strong>} close={close}>
      <Area name="peek" query={query} rows={6}>
        {(instance) => <Peek instance={instance} />}
      </Area>
    </SidePanel>
  )
}

function Peek({ instance }: { readonly instance: Instance }) {
  const { id, definitionId, version, correlationId } = instance
  return (
    <div className={classes.peek} data-testid="peek">
      <Facts
        items={[
          ['Status', <StatusChip key="status" status={instance.status} />],
          [
            'Workflow',
            <span key="workflow">
              {definitionId} <span className="muted small">v{version}</span>
            </span>,
          ],
          ...(correlationId === null
            ? []
            : [
                [
                  'Correlation',
                  <span key="correlation" className="mono">
                    {correlationId}
                  </span>,
                ] as const,
              ]),
          ['Started', <When key="started" at={instance.createdAt} />],
          ['Duration', <Took key="took" from={instance.createdAt} to={instance.finishedAt} />],
        ]}
      />
      {nowText(instance) !== '' && (
        <p className={instance.error === null ? classes.now : classes.wrong}>{nowText(instance)}</p>
      )}
      <MiniGraph instance={instance} />
      <h3 className="small muted">Input</h3>
      <JsonView value={instance.input} name="input" />
      <Button
        component={Link}
        to="/instances/$instanceId"
        params={{ instanceId: id } as never}
        size="xs"
        rightSection={<ArrowRight size={14} />}
      >
        Open it
      </Button>
    </div>
  )
}
