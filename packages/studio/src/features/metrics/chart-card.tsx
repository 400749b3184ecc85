import { useNavigate } from '@tanstack/react-router'
import { Card } from '../../ui/page.tsx'
import { type Chart, spikeOf, titleOf, windowOf } from './charts.ts'
import { CurveChart } from './curve-chart.tsx'
import { CurveTable } from './curve-table.tsx'
import type { Mark } from './marks.ts'
import classes from './metrics.module.css'
import type { Metrics } from './metrics-query.ts'

/** One chart with its title, as curves or as a table. A click leads to the instances of that time. */
export function ChartCard(props: {
  readonly chart: Chart
  readonly metrics: Metrics
  readonly marks: readonly Mark[]
  readonly asTable: boolean
  readonly before?: Metrics['curves'] | undefined
  /** Beside the title, before the way to the peak. */
  readonly aside?: React.ReactNode
}) {
  const { chart, metrics, marks, before } = props
  const navigate = useNavigate()
  const open = (index: number): void => {
    const { from, to } = windowOf(metrics, index)
    void navigate({ to: '/instances', search: { 'finishedAt[gte]': from, 'finishedAt[lte]': to } as never })
  }
  const spike = spikeOf(metrics, chart)
  return (
    <Card
      title={titleOf(chart, metrics)}
      aside={
        <span className={classes.aside}>
          {props.aside}
          {spike !== undefined && (
            <button type="button" className={`${classes.spike} link small`} onClick={() => open(spike)}>
              Instances of the peak
            </button>
          )}
        </span>
      }
    >
      {props.asTable ? (
        <CurveTable chart={chart} metrics={metrics} open={open} />
      ) : (
        <CurveChart chart={chart} metrics={metrics} marks={marks} before={before} pick={open} />
      )}
    </Card>
  )
}
