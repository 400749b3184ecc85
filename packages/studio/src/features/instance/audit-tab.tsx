import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import type { Instance } from '../../api/wire.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area, Empty } from '../../ui/area.tsx'
import { Restricted } from '../../ui/restricted.tsx'
import { sentence } from '../../ui/sentence.ts'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { auditQuery } from '../audit/audit-query.ts'

const SHOWN = 50

/** What people and programs asked of it, from its start on, done or refused. */
export const AuditTab = ({ instance }: { readonly instance: Instance }) => (
  <Restricted permission="audit:read">
    <Entries instance={instance} />
  </Restricted>
)

function Entries({ instance }: { readonly instance: Instance }) {
  const entries = useQuery({
    ...auditQuery({ target: instance.id, limit: SHOWN }),
    refetchInterval: usePollMs(4_000, 4_000),
  })
  return (
    <Area
      name="instance-audit"
      query={entries}
      rows={4}
      isEmpty={({ items }) => items.length === 0}
      empty={
        <Empty icon={<ScrollText size={22} />} title="Nobody has asked anything of it">
          Starts, verbs and resumes through the API are written down here; schedules and other instances leave no entry.
        </Empty>
      }
    >
      {({ items, page }) => (
        <div className={table.wrap}>
          <table className={table.table}>
            <thead>
              <tr>
                <th>When</th>
                <th>Who</th>
                <th>Action</th>
                <th>Outcome</th>
                <th>Reason</th>
                <th>From address</th>
              </tr>
            </thead>
            <tbody>
              {items.map((entry) => (
                <tr key={entry.seq}>
                  <td>
                    <When at={entry.at} />
                  </td>
                  <td>{entry.actor.id}</td>
                  <td>
                    <Link
                      to="/audit"
                      search={{ target: instance.id, entry: entry.seq } as never}
                      className="link"
                      title={entry.operation}
                    >
                      {sentence(entry.operation)}
                    </Link>
                  </td>
                  <td>
                    <ToneChip tone={entry.outcome === 'done' ? 'completed' : 'faulted'}>
                      {entry.outcome === 'done' ? 'Done' : entry.outcome}
                    </ToneChip>
                  </td>
                  <td>{entry.reason ?? <span className="muted">–</span>}</td>
                  <td>{entry.address}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {page.next !== null && (
            <div className={table.foot}>
              <Link to="/audit" search={{ target: instance.id } as never} className="link">
                All entries
              </Link>
            </div>
          )}
        </div>
      )}
    </Area>
  )
}
