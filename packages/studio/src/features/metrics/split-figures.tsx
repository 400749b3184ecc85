import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChartLine } from 'lucide-react'
import { useMemo, useState } from 'react'
import { nodesQuery } from '../../api/queries.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area, Empty } from '../../ui/area.tsx'
import { Table } from '../../ui/list.tsx'
import { Card } from '../../ui/page.tsx'
import table from '../../ui/table.module.css'
import { durationText } from '../../ui/time-text.ts'
import { useWorkflowNames } from '../home/workflow-names.ts'
import { ChartCard } from './chart-card.tsx'
import { percent } from './charts.ts'
import { STROKE_OF_OTHERS } from './curve-chart.tsx'
import classes from './metrics.module.css'
import type { Range } from './metrics-query.ts'
import { isOthers, type Quantile, quantiles, splitPicture } from './split-charts.ts'
import { type Split, type SplitBy, type SplitPart, splitQuery } from './split-query.ts'

/** Throughput, failures and durations of the busiest workflows or nodes, and of all others together. */
export function SplitFigures(props: {
  readonly by: SplitBy
  readonly range: Range
  readonly nodeId: string | undefined
  readonly asTable: boolean
}) {
  const { by, range, nodeId, asTable } = props
  const query = useQuery({ ...splitQuery(by, range, nodeId), refetchInterval: usePollMs(10_000, 10_000) })
  return (
    <Area
      name="metrics-split"
      query={query}
      rows={6}
      isEmpty={({ parts }) => parts.length === 0}
      empty={
        <Empty icon={<ChartLine size={28} />} title="No instance ended in this range">
          {by === 'definition' ? 'Workflows' : 'Nodes'} are here once their instances have ended. Nodes write every
          minute what they counted.
        </Empty>
      }
    >
      {(split) => <Parts split={split} asTable={asTable} />}
    </Area>
  )
}

const NO_MARKS: readonly never[] = []

function Parts({ split, asTable }: { readonly split: Split; readonly asTable: boolean }) {
  const [quantile, choose] = useState<Quantile>('p95')
  const labelOf = useLabels(split)
  const labels = split.parts.map(labelOf).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the labels stand for the function that makes them
  const { metrics, charts } = useMemo(
    () => splitPicture(split, labelOf, quantile, STROKE_OF_OTHERS),
    [split, labels, quantile],
  )
  return (
    <div className={`${classes.charts} ${classes.split}`}>
      {charts.map((chart) => (
        <ChartCard
          key={chart.id}
          chart={chart}
          metrics={metrics}
          marks={NO_MARKS}
          asTable={asTable}
          aside={
            chart.id === 'split-duration' && (
              <SegmentedControl
                size="xs"
                aria-label="Percentile"
                data={[...quantiles]}
                value={quantile}
                onChange={(to) => choose(to as Quantile)}
              />
            )
          }
        />
      ))}
      <PartTable split={split} labelOf={labelOf} />
    </div>
  )
}

/** Names as people know them; ids where they are not known. */
function useLabels({ parts }: Split): (part: SplitPart) => string {
  const nameOf = useWorkflowNames()
  const { data } = useQuery(nodesQuery())
  return (part) => {
    if (isOthers(part)) return parts.length === 1 ? 'All' : 'All others'
    if (part.definitionId !== null) return nameOf(part.definitionId)
    return data?.items.find(({ id }) => id === part.nodeId)?.name ?? `${part.nodeId?.slice(0, 12)}… (gone)`
  }
}

const columns = [
  ['completed', 'Completed', (value: number) => value.toLocaleString('en')],
  ['faulted', 'Faulted', (value: number) => value.toLocaleString('en')],
  ['failureRate', 'Failures', percent],
  ['durationP50Ms', 'p50', durationText],
  ['durationP95Ms', 'p95', durationText],
  ['durationP99Ms', 'p99', durationText],
] as const

/** What the parts came to over the whole range. */
function PartTable(props: { readonly split: Split; readonly labelOf: (part: SplitPart) => string }) {
  const { by, parts } = props.split
  return (
    <Card flush title={by === 'definition' ? 'By workflow' : 'By node'}>
      <div className={classes.parts} data-testid="metrics-parts">
        <Table
          columns={[by === 'definition' ? 'Workflow' : 'Node', ...columns.map(([, label]) => ({ label, right: true }))]}
        >
          {parts.map((part) => (
            <tr key={part.definitionId ?? part.nodeId ?? ''} data-part={part.definitionId ?? part.nodeId ?? ''}>
              <td>
                <PartName part={part} label={props.labelOf(part)} />
              </td>
              {columns.map(([name, , write]) => (
                <td key={name} className={table.right} data-figure={name}>
                  {part.totals[name] == null ? '–' : write(part.totals[name])}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      </div>
    </Card>
  )
}

function PartName({ part, label }: { readonly part: SplitPart; readonly label: string }) {
  if (part.definitionId !== null)
    return (
      <Link className="link" to="/definitions/$definitionId" params={{ definitionId: part.definitionId }}>
        {label}
      </Link>
    )
  if (part.nodeId !== null)
    return (
      <Link className="link" to="/cluster/$nodeId" params={{ nodeId: part.nodeId }}>
        {label}
      </Link>
    )
  return <span className="muted">{label}</span>
}
