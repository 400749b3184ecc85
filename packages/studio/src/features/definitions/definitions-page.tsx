import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Workflow } from 'lucide-react'
import { definitionsQuery } from '../../api/queries.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { NewWorkflowButton } from '../../designer/new-workflow.tsx'
import { usePollMs } from '../../live/live-state.ts'
import { Empty } from '../../ui/area.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { ImportButton } from '../import/import-button.tsx'

export function DefinitionsPage() {
  const [search] = useUrlSearch()
  const query = useQuery({
    ...definitionsQuery({ name: search.name, cursor: search.cursor, limit: 50 }),
    refetchInterval: usePollMs(10_000),
  })
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
      columns={['Name', 'Id', 'Kind', 'Published', { label: 'Runs', right: true }]}
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
            {definition.version === null ? (
              <ToneChip tone="queued">Draft only</ToneChip>
            ) : (
              <ToneChip tone="completed">Version {definition.version}</ToneChip>
            )}
          </td>
          <td className={table.right}>
            <Link to="/instances" search={{ definition: definition.id } as never} className="link">
              Instances
            </Link>
          </td>
        </tr>
      )}
    />
  )
}
