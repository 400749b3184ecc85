import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { forksQuery, instancesQuery } from '../../api/queries.ts'
import type { FactRow, Instance } from '../../api/wire.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { Facts } from '../../ui/page.tsx'
import { StatusChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { shortId } from '../../ui/time-text.ts'
import classes from './instance.module.css'

/** Who started it, whom it started, what it was copied from, and what was copied from it. */
export function RelationsTab({ instance, facts }: { readonly instance: Instance; readonly facts: readonly FactRow[] }) {
  const children = useQuery({
    ...instancesQuery({ parent: instance.id, limit: 50 }),
    refetchInterval: usePollMs(3_000),
  })
  const forks = useQuery({ ...forksQuery(instance.id), refetchInterval: usePollMs(3_000) })
  const forked = facts.findLast(({ kind }) => kind === 'forked')?.data
  const from =
    typeof forked?.from === 'string' ? (forked.from.startsWith('wfi_') ? forked.from : `wfi_${forked.from}`) : undefined
  return (
    <div>
      <div className={classes.data}>
        <Facts
          items={[
            [
              'Parent',
              instance.parentId === null ? (
                <span key="none" className="muted">
                  None: it was started from outside
                </span>
              ) : (
                <InstanceLink key="parent" id={instance.parentId} />
              ),
            ],
            ...(from === undefined
              ? []
              : [
                  [
                    'Copy of',
                    <span key="from">
                      <InstanceLink id={from} /> after fact {String(forked?.at)}
                    </span>,
                  ] as const,
                ]),
          ]}
        />
      </div>
      <Area
        name="children"
        query={children}
        rows={3}
        isEmpty={({ items }) => items.length === 0}
        empty={
          <p className="muted" style={{ padding: '0 16px 12px', margin: 0 }}>
            It has started no other instance.
          </p>
        }
      >
        {({ items, page }) => (
          <Related what="Child" items={items}>
            {page.next !== null && (
              <Link to="/instances" search={{ parent: instance.id } as never} className="link">
                All children
              </Link>
            )}
          </Related>
        )}
      </Area>
      <Area
        name="forks"
        query={forks}
        rows={1}
        isEmpty={({ items }) => items.length === 0}
        empty={
          <p className="muted" style={{ padding: '0 16px 12px', margin: 0 }}>
            Nobody has made a copy of it.
          </p>
        }
      >
        {({ items, page }) => (
          <Related what="Copy" items={items}>
            {page.next !== null && `The newest ${items.length}: there are more`}
          </Related>
        )}
      </Area>
    </div>
  )
}

function Related(props: {
  readonly what: string
  readonly items: readonly Instance[]
  readonly children: React.ReactNode
}) {
  return (
    <div className={table.wrap}>
      <table className={table.table}>
        <thead>
          <tr>
            <th>{props.what}</th>
            <th>Workflow</th>
            <th>Status</th>
            <th>Started</th>
          </tr>
        </thead>
        <tbody>
          {props.items.map((each) => (
            <tr key={each.id}>
              <td>
                <InstanceLink id={each.id} />
              </td>
              <td>{each.definitionId}</td>
              <td>
                <StatusChip status={each.status} />
              </td>
              <td>
                <When at={each.createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {props.children !== false && <div className={table.foot}>{props.children}</div>}
    </div>
  )
}

const InstanceLink = ({ id }: { readonly id: string }) => (
  <Link to="/instances/$instanceId" params={{ instanceId: id }} className="mono link">
    {shortId(id)}
  </Link>
)
