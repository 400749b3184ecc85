import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { Table } from '../../ui/list.tsx'
import { Card } from '../../ui/page.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { durationText } from '../../ui/time-text.ts'
import { contentionQuery, type LockContention } from './contention-query.ts'
import classes from './locks.module.css'
import { Circles } from './wait-circles.tsx'

/** What is waited for most, and how long it takes. */
export function Contention() {
  const query = useQuery({ ...contentionQuery(), refetchInterval: usePollMs(2_000, 2_000) })
  return (
    <>
      {query.data !== undefined && <Circles contention={query.data} />}
      <div className={classes.contention}>
        <Card title="Waited for most" flush>
          <Area
            name="contention"
            query={query}
            rows={2}
            isEmpty={({ keys }) => keys.length === 0}
            empty={
              <p className={classes.calm}>
                <CircleCheck size={16} aria-hidden /> Nobody waits for a lock at this moment.
              </p>
            }
          >
            {({ keys }) => <Waited keys={keys} />}
          </Area>
        </Card>
        <Card title="Waits and holds, as seen by the node that answers" flush>
          <Area
            name="lock-figures"
            query={query}
            rows={2}
            isEmpty={({ patterns }) => patterns.length === 0}
            empty={<p className={classes.calm}>Nothing has asked this node for a lock yet.</p>}
          >
            {({ patterns }) => <Figures patterns={patterns} />}
          </Area>
        </Card>
      </div>
    </>
  )
}

function Waited({ keys }: Pick<LockContention, 'keys'>) {
  const [, change] = useUrlSearch()
  const size = (each: LockContention['keys'][number]): number => Math.max(each.waiters, each.instances)
  const most = Math.max(1, ...keys.map(size))
  return (
    <ul className={classes.waited} data-testid="waited-for">
      {keys.slice(0, 6).map((each) => (
        <li key={each.key}>
          <button type="button" className={`${classes.key} mono link`} onClick={() => change({ lock: each.key }, true)}>
            {each.key}
          </button>
          <span className={classes.heat} aria-hidden>
            <i style={{ width: `${(size(each) / most) * 100}%` }} />
          </span>
          {/* Instances that wait long ask every few seconds: between that they have no place in the queue. */}
          <span className="num small">{size(each).toLocaleString('en')} waiting</span>
          <span className="muted small">
            first asked <When at={each.since} />
          </span>
        </li>
      ))}
    </ul>
  )
}

/** By how much they are asked for: those of upkeep are asked for once in a while. */
const MOST_PATTERNS = 4

function Figures({ patterns }: Pick<LockContention, 'patterns'>) {
  const right = (label: string) => ({ label, right: true })
  return (
    <Table
      columns={[
        'Names',
        right('Asked'),
        right('Not at once'),
        right('Failed'),
        right('Lost'),
        right('Wait p50 / p95 / p99'),
        right('Hold p95'),
      ]}
    >
      {patterns.slice(0, MOST_PATTERNS).map((each) => (
        <tr key={each.pattern}>
          <td className="mono">{each.pattern}</td>
          <td className={table.right}>{each.asked.toLocaleString('en')}</td>
          <td className={table.right}>{Math.round(each.contention * 100)} %</td>
          <td className={table.right}>{(each.refused + each.timedOut + each.failed).toLocaleString('en')}</td>
          <td className={table.right}>{each.lost}</td>
          <td className={table.right}>
            {[each.waitMs.p50, each.waitMs.p95, each.waitMs.p99].map(durationText).join(' / ')}
          </td>
          <td className={table.right}>{durationText(each.holdMs.p95)}</td>
        </tr>
      ))}
    </Table>
  )
}
