import { Button, SegmentedControl, Switch } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { nodesQuery } from '../../api/queries.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { saveFile } from '../../browser/save-file.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { csvOf } from '../../ui/csv.ts'
import { Card, Page } from '../../ui/page.tsx'
import { When } from '../../ui/time.tsx'
import { durationText } from '../../ui/time-text.ts'
import { type Chart, chartsOf, spikeOf, windowOf } from './charts.ts'
import { CurveChart } from './curve-chart.tsx'
import { CurveTable } from './curve-table.tsx'
import classes from './metrics.module.css'
import { type Metrics, metricsQuery, ranges } from './metrics-query.ts'

export function MetricsPage() {
  const [search, change] = useUrlSearch()
  const range = ranges.find((each) => each === search.range) ?? '1h'
  const [asTable, setAsTable] = useLocalStorage({ key: 'lockstep-metrics-table', defaultValue: false })
  const query = useQuery({ ...metricsQuery(range), refetchInterval: usePollMs(10_000, 10_000) })
  return (
    <Page
      title="Metrics"
      lead={query.data === undefined ? undefined : <Covers metrics={query.data} />}
      actions={
        <div className={classes.tools}>
          <Switch
            size="sm"
            label="Tables"
            checked={asTable}
            onChange={(event) => setAsTable(event.currentTarget.checked)}
          />
          <SegmentedControl
            size="xs"
            aria-label="Range"
            data={[...ranges]}
            value={range}
            onChange={(to) => change({ range: to }, true)}
          />
          <Button
            size="xs"
            variant="default"
            leftSection={<Download size={14} />}
            disabled={query.data === undefined}
            onClick={() => query.data && saveFile(`metrics-${range}.csv`, 'text/csv', metricsCsv(query.data))}
          >
            Export CSV
          </Button>
        </div>
      }
    >
      <Area name="metrics" query={query} rows={8}>
        {(metrics) => (
          <>
            <Totals metrics={metrics} />
            <div className={classes.charts}>
              {chartsOf(metrics.curves).map((chart) => (
                <ChartCard key={chart.id} chart={chart} metrics={metrics} asTable={asTable} />
              ))}
            </div>
          </>
        )}
      </Area>
    </Page>
  )
}

/** Whose figures these are, and since when: they are kept in the memory of one node. */
function Covers({ metrics }: { readonly metrics: Metrics }) {
  const { data } = useQuery(nodesQuery())
  const name = data?.items.find(({ id }) => id === metrics.nodeId)?.name ?? metrics.nodeId
  const others = (data?.items.length ?? 1) - 1
  return (
    <span data-testid="metrics-covers">
      Of node <strong>{name}</strong>, since <When at={metrics.from} />. A node keeps a day in memory, and begins anew
      when it does.
      {others > 0 &&
        ` The other ${others === 1 ? 'node has its' : `${others} nodes have their`} own: /metrics on each.`}
    </span>
  )
}

const totals = [
  ['started', 'Started', (value: number) => value.toLocaleString('en')],
  ['completed', 'Completed', (value: number) => value.toLocaleString('en')],
  ['faulted', 'Faulted', (value: number) => value.toLocaleString('en')],
  ['failureRate', 'Failure rate', (value: number) => `${(value * 100).toFixed(1)} %`],
  ['durationP50Ms', 'Duration p50', durationText],
  ['durationP95Ms', 'Duration p95', durationText],
  ['durationP99Ms', 'Duration p99', durationText],
] as const

function Totals({ metrics }: { readonly metrics: Metrics }) {
  return (
    <dl className={classes.totals} data-testid="metrics-totals">
      {totals.map(([name, label, write]) => (
        <div key={name} data-total={name} data-value={metrics.totals[name] ?? ''}>
          <dt>{label}</dt>
          <dd className="num">{metrics.totals[name] == null ? '–' : write(metrics.totals[name])}</dd>
        </div>
      ))}
    </dl>
  )
}

function ChartCard(props: { readonly chart: Chart; readonly metrics: Metrics; readonly asTable: boolean }) {
  const { chart, metrics } = props
  const navigate = useNavigate()
  const open = (index: number): void => {
    const { from, to } = windowOf(metrics, index)
    void navigate({ to: '/instances', search: { 'finishedAt[gte]': from, 'finishedAt[lte]': to } as never })
  }
  const spike = spikeOf(metrics, chart)
  return (
    <Card
      title={chart.title}
      aside={
        spike === undefined ? undefined : (
          <button type="button" className={`${classes.spike} link small`} onClick={() => open(spike)}>
            Instances of the peak
          </button>
        )
      }
    >
      {props.asTable ? (
        <CurveTable chart={chart} metrics={metrics} open={open} />
      ) : (
        <CurveChart chart={chart} metrics={metrics} pick={open} />
      )}
    </Card>
  )
}

function metricsCsv({ at, curves }: Metrics): string {
  const names = Object.keys(curves)
  return csvOf(
    ['at', ...names],
    at.map((ms, index) => [new Date(ms).toISOString(), ...names.map((name) => curves[name]?.[index])]),
  )
}
