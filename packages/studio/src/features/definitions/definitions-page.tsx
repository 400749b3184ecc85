import { Group, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Workflow } from 'lucide-react'
import { definitionsQuery, instancesQuery } from '../../api/queries.ts'
import type { DefinitionItem } from '../../api/wire.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { NewWorkflowButton } from '../../designer/new-workflow.tsx'
import { usePollMs } from '../../live/live-state.ts'
import { Empty } from '../../ui/area.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { ImportButton } from '../import/import-button.tsx'
import { StartButton } from '../instances/start-dialog.tsx'
import classes from './definition.module.css'
import { DefinitionMenu } from './definition-menu.tsx'
import { recentRuns } from './recent-runs.ts'
import { TriggerList } from './trigger-list.tsx'

export function DefinitionsPage() {
  const [search] = useUrlSearch()
  const query = useQuery({
    ...definitionsQuery({ name: search.name, cursor: search.cursor, limit: 50 }),
    refetchInterval: usePollMs(10_000),
  })
  // One page of one list, whatever there are of workflows.
  const { data } = useQuery({
    ...instancesQuery({ limit: 200, 'createdAt[gte]': '-24h' }),
    queryKey: ['instances', 'of-workflows'] as never,
    refetchInterval: usePollMs(10_000),
  })
  const recent = recentRuns(data)
  return (
    <ListPage
      title="Workflows"
      lead="What can be started"
      actions={
        <>
          <ImportButton />
          <NewWorkflowButton />
        </>
      }
      search={{ parameter: 'name', label: 'Name begins with' }}
      name="definitions"
      noun="workflow"
      query={query}
      columns={[
        'Name',
        'Id',
        'Kind',
        'Published',
        'Started',
        'Last 24 h',
        'Last run',
        { label: 'Actions', right: true },
      ]}
      empty={
        <Empty icon={<Workflow size={22} />} title={search.name ? 'No workflow is called that' : 'No workflows yet'}>
          Draw one, write one in code, or send a graph document to the API with lockstep definitions push.
        </Empty>
      }
      row={(definition) => (
        <tr key={definition.id}>
          <td>
            <Link to="/definitions/$definitionId" params={{ definitionId: definition.id }} className="link">
              {definition.name}
            </Link>
          </td>
          <td className="mono">{definition.id}</td>
          <td>{definition.kind === 'graph' ? 'Graph' : 'Function'}</td>
          <td>
            <StateChips definition={definition} />
          </td>
          <td>
            <TriggerList {...definition} />
          </td>
          <RunCells definitionId={definition.id} recent={recent} />
          <td className={table.right}>
            <Group gap={6} wrap="nowrap" justify="flex-end">
              {definition.version !== null && (
                <StartButton label="Run" variant="default" definitionId={definition.id} />
              )}
              <DefinitionMenu definition={definition} />
            </Group>
          </td>
        </tr>
      )}
    />
  )
}

function StateChips({ definition: { id, state, version } }: { readonly definition: DefinitionItem }) {
  if (state === 'draft') return <ToneChip tone="queued">Draft only</ToneChip>
  if (state === 'retracted') return <ToneChip tone="ended">Retracted</ToneChip>
  return (
    <span className={classes.chips}>
      <ToneChip tone="completed">Version {version}</ToneChip>
      {state === 'ahead' && (
        <Tooltip label="Its draft says something else than what is published. Open the draft.">
          <Link to="/definitions/$definitionId/design" params={{ definitionId: id }}>
            <ToneChip tone="retrying">Draft ahead</ToneChip>
          </Link>
        </Tooltip>
      )}
    </span>
  )
}

/** Where there was more than one page of instances, what is not on it may have run all the same. */
function RunCells(props: { readonly definitionId: string; readonly recent: ReturnType<typeof recentRuns> }) {
  const { definitionId, recent } = props
  const found = recent.runs.get(definitionId)
  const count = `${found?.count ?? 0}${recent.isWhole ? '' : '+'}`
  return (
    <>
      <td>
        <span className={classes.runs}>
          {found !== undefined && (
            <span className={classes.share} aria-hidden>
              <i style={{ width: `${(found.failed / found.count) * 100}%` }} />
            </span>
          )}
          <Link to="/instances" search={{ definition: definitionId } as never} className="link num">
            {count} {count === '1' ? 'run' : 'runs'}
          </Link>
          {found !== undefined && found.failed > 0 && <span className="small muted">{found.failed} failed</span>}
        </span>
      </td>
      <td>
        <When at={found?.lastAt ?? null} />
      </td>
    </>
  )
}
