import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { call } from '../../api/client.ts'
import { nodesQuery } from '../../api/queries.ts'
import { apiRoot } from '../../browser/place.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { Table } from '../../ui/list.tsx'
import { Card, Facts } from '../../ui/page.tsx'
import { When } from '../../ui/time.tsx'
import classes from './settings.module.css'

/** What runs where. Neighbouring versions work together; it is still good to know. */
export function About() {
  const nodes = useQuery({ ...nodesQuery(), refetchInterval: usePollMs(5_000, 5_000) })
  const api = useQuery({
    queryKey: ['openapi'],
    queryFn: ({ signal }) =>
      call<{ info: { title: string; version: string }; paths: object }>('GET', '/openapi.json', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <div className={classes.stack}>
      <Card title="Nodes" flush>
        <Area
          name="about"
          query={nodes}
          rows={2}
          isEmpty={({ items }) => items.length === 0}
          empty={<p className={classes.calm}>No node has joined yet.</p>}
        >
          {({ items }) => (
            <>
              <VersionNote versions={[...new Set(items.map(({ version }) => version))]} />
              <Table columns={['Node', 'Version', 'Roles', 'Up since']}>
                {items.map((node) => (
                  <tr key={node.id}>
                    <td>{node.name}</td>
                    <td className="mono">{node.version}</td>
                    <td>{node.roles?.join(', ') ?? '–'}</td>
                    <td>
                      <When at={node.startedAt} />
                    </td>
                  </tr>
                ))}
              </Table>
            </>
          )}
        </Area>
      </Card>
      <Card title="Interface">
        <Area name="about-api" query={api} rows={2}>
          {({ info, paths }) => (
            <Facts
              items={[
                ['API', `${info.title} ${info.version}`],
                [
                  'Document',
                  <a key="document" className="link" href={`${apiRoot}/openapi.json`} target="_blank" rel="noreferrer">
                    OpenAPI, {Object.keys(paths).length} paths
                  </a>,
                ],
              ]}
            />
          )}
        </Area>
      </Card>
    </div>
  )
}

function VersionNote({ versions }: { readonly versions: readonly string[] }) {
  if (versions.length < 2) return null
  return (
    <p className={classes.warning} role="status" data-testid="version-mismatch">
      <TriangleAlert size={16} aria-hidden />
      The nodes run different versions: {[...versions].sort().join(', ')}. Neighbouring ones work together while you
      update; leave none behind.
    </p>
  )
}
