import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Search, Workflow } from 'lucide-react'
import { useEffect, useState } from 'react'
import { definitionsQuery } from '../../api/queries.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area, Empty } from '../../ui/area.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'

export function DefinitionsPage() {
  const [search, change] = useUrlSearch()
  const [name, setName] = useState(search.name ?? '')
  const [asked] = useDebouncedValue(name, 250)
  useEffect(() => {
    if (asked !== (search.name ?? '')) change({ name: asked, cursor: undefined }, true)
  }, [asked, search.name, change])
  const query = useQuery({
    ...definitionsQuery({ name: search.name, cursor: search.cursor, limit: 50 }),
    refetchInterval: usePollMs(10_000),
  })
  return (
    <Page title="Workflows" lead="What can be started">
      <TextInput
        data-search-field
        size="xs"
        w={320}
        aria-label="Name begins with"
        placeholder="Name begins with …"
        leftSection={<Search size={14} />}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Card flush>
        <Area
          name="definitions"
          query={query}
          isEmpty={({ items }) => items.length === 0}
          empty={
            <Empty
              icon={<Workflow size={22} />}
              title={search.name ? 'No workflow is called that' : 'No workflows yet'}
            >
              Write one in code, or send a graph document to the API with lockstep definitions push.
            </Empty>
          }
        >
          {(page) => (
            <>
              <div className={table.wrap}>
                <table className={table.table}>
                  <thead>
                    <tr>
                      <th>Name</th>
                      <th>Id</th>
                      <th>Kind</th>
                      <th>Published</th>
                      <th className={table.right}>Runs</th>
                    </tr>
                  </thead>
                  <tbody>
                    {page.items.map((definition) => (
                      <tr key={definition.id}>
                        <td>
                          <Link
                            to="/definitions/$definitionId"
                            params={{ definitionId: definition.id }}
                            className="link"
                          >
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
                    ))}
                  </tbody>
                </table>
              </div>
              <Pager page={page} noun="workflow" go={(cursor) => change({ cursor })} />
            </>
          )}
        </Area>
      </Card>
    </Page>
  )
}
