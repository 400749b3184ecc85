import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { Table } from '../../ui/list.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { Card } from '../../ui/page.tsx'
import { sentence } from '../../ui/sentence.ts'
import table from '../../ui/table.module.css'
import classes from './cluster.module.css'
import { type Cache, cachesQuery } from './cluster-queries.ts'

const right = (label: string) => ({ label, right: true })

/** What a node keeps in memory, and how often it was no longer right. */
export function Caches() {
  const query = useQuery({ ...cachesQuery(), refetchInterval: usePollMs(2_000, 2_000) })
  return (
    <Card title="Caches of the node that answers" flush>
      <Area
        name="caches"
        query={query}
        rows={2}
        isEmpty={({ items }) => items.length === 0}
        empty={<p className={classes.calm}>This node keeps nothing in memory.</p>}
      >
        {({ items }) => (
          <Table
            columns={[
              'Cache',
              right('Kept'),
              right('Read from it'),
              right('Hits'),
              right('Invalidated'),
              right('Evicted'),
              right('On all nodes'),
            ]}
          >
            {items.map((cache) => (
              <CacheRow key={cache.name} cache={cache} />
            ))}
          </Table>
        )}
      </Area>
    </Card>
  )
}

function CacheRow({ cache }: { readonly cache: Cache }) {
  const client = useQueryClient()
  const clear = useMutation({
    mutationFn: () => call('POST', `/caches/${encodeURIComponent(cache.name)}/clear`, { body: {} }),
    onSuccess: () => notifications.show({ message: `${sentence(cache.name)}: cleared on all nodes` }),
    onError: (error) =>
      notifications.show({ color: 'danger', title: toProblem(error).title, message: toProblem(error).detail }),
    onSettled: () => client.invalidateQueries({ queryKey: ['caches'] }),
  })
  const number = (value: number): string => value.toLocaleString('en')
  const label = sentence(cache.name.replaceAll('-', ' '))
  return (
    <tr data-cache={cache.name} data-kept={cache.size} data-invalidated={cache.invalidations}>
      <td>{label}</td>
      <td className={table.right}>
        {number(cache.size)} <span className="muted">of {number(cache.limit)}</span>
      </td>
      <td className={table.right}>{number(cache.hits + cache.misses)}</td>
      <td className={table.right}>{cache.hitRate === null ? '–' : `${Math.round(cache.hitRate * 100)} %`}</td>
      <td className={table.right}>{number(cache.invalidations)}</td>
      <td className={table.right}>{number(cache.evictions)}</td>
      <td className={table.right}>
        <MayButton
          size="compact-xs"
          variant="default"
          permission="cluster:operate"
          loading={clear.isPending}
          aria-label={`Clear ${cache.name} on all nodes`}
          onClick={() => clear.mutate()}
        >
          Clear
        </MayButton>
      </td>
    </tr>
  )
}
