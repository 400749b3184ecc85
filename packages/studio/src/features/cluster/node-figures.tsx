import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ChartLine, Info } from 'lucide-react'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { Card } from '../../ui/page.tsx'
import { chartsOf, windowOf } from '../metrics/charts.ts'
import { CurveChart } from '../metrics/curve-chart.tsx'
import { type Metrics, metricsQuery } from '../metrics/metrics-query.ts'
import classes from './cluster.module.css'

const SHOWN = ['throughput', 'pools', 'loop', 'memory']

/** What it wrote down of itself, once a minute; kept for six hours, also when it is gone. */
export function NodeFigures({ nodeId }: { readonly nodeId: string }) {
  const query = useQuery({ ...metricsQuery('1h', nodeId), refetchInterval: usePollMs(15_000, 15_000) })
  return (
    <Area
      name="node-figures"
      query={query}
      rows={8}
      isEmpty={isSilent}
      empty={
        <p className={classes.note}>
          <Info size={16} aria-hidden />
          No figures of it: a node writes them once a minute, and they are kept for six hours.
        </p>
      }
    >
      {(metrics) => <Curves metrics={metrics} nodeId={nodeId} />}
    </Area>
  )
}

const isSilent = ({ curves }: Metrics): boolean =>
  SHOWN.every((id) =>
    chartsOf(curves)
      .find((chart) => chart.id === id)!
      .curves.every(({ name }) => (curves[name] ?? []).every((value) => value === null)),
  )

const NO_MARKS: readonly never[] = []

function Curves({ metrics, nodeId }: { readonly metrics: Metrics; readonly nodeId: string }) {
  const navigate = useNavigate()
  const open = (index: number): void => {
    const { from, to } = windowOf(metrics, index)
    void navigate({ to: '/instances', search: { 'finishedAt[gte]': from, 'finishedAt[lte]': to } as never })
  }
  const shown = chartsOf(metrics.curves).filter(({ id }) => SHOWN.includes(id))
  return (
    <Card
      title="The last hour"
      aside={
        <Button
          component={Link}
          to="/insights"
          search={{ node: nodeId } as never}
          size="compact-xs"
          variant="default"
          leftSection={<ChartLine size={14} />}
        >
          All its figures
        </Button>
      }
    >
      <div className={classes.charts}>
        {shown.map((chart) => (
          <section key={chart.id} aria-label={chart.title}>
            <h3 className={classes.chartTitle}>{chart.title}</h3>
            <CurveChart chart={chart} metrics={metrics} marks={NO_MARKS} pick={open} />
          </section>
        ))}
      </div>
    </Card>
  )
}
