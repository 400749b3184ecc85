import { Button, SegmentedControl, Select, Switch, Tooltip } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Download, Image } from 'lucide-react'
import { useMemo } from 'react'
import { nodesQuery } from '../../api/queries.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { saveFile, savePicture } from '../../browser/save-file.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { csvOf } from '../../ui/csv.ts'
import { Page } from '../../ui/page.tsx'
import { When } from '../../ui/time.tsx'
import { durationText } from '../../ui/time-text.ts'
import { eventsQuery } from '../cluster/cluster-queries.ts'
import { ChartCard } from './chart-card.tsx'
import { chartsOf } from './charts.ts'
import { DashboardButton } from './dashboard-button.tsx'
import { type Mark, marksOf, markWords } from './marks.ts'
import classes from './metrics.module.css'
import { type Metrics, metricsQuery, ranges, rangesOfNode } from './metrics-query.ts'
import { momentText } from './moment-text.ts'
import { pictureOf } from './picture.ts'
import { countOf, previousCurves, RANGE_MS, widerRange } from './previous.ts'
import { isSplitChart } from './split-charts.ts'
import { SplitChoice } from './split-choice.tsx'
import { SplitFigures } from './split-figures.tsx'
import type { SplitBy } from './split-query.ts'

export function MetricsPage() {
  const [search, change] = useUrlSearch()
  const node = search.node === '' ? undefined : search.node
  const split = splitOf(search.split, node)
  const offered = node === undefined && split !== 'node' ? ranges : rangesOfNode
  const range = offered.find((each) => each === search.range) ?? '1h'
  const [asTable, setAsTable] = useLocalStorage({ key: 'lockstep-metrics-table', defaultValue: false })
  const query = useQuery({ ...metricsQuery(range, node), refetchInterval: usePollMs(10_000, 10_000) })
  const wider = widerRange[range]
  const isComparable = wider !== undefined && offered.includes(wider)
  const compares = search.compare === '1' && isComparable
  const wide = useQuery({
    ...metricsQuery(wider ?? range, node),
    enabled: compares,
    refetchInterval: usePollMs(30_000, 30_000),
  })
  const { data } = query
  // While another range is on its way, the one before is shown: the two do not fit together.
  const before = useMemo(
    () =>
      compares && data?.range === range && wide.data?.range === wider
        ? previousCurves(data, wide.data!, RANGE_MS[range])
        : undefined,
    [compares, data, wide.data, range, wider],
  )
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
          <Tooltip
            label={
              isComparable
                ? 'Draws the same time before, as thin lines, coarser where less is kept'
                : 'Nothing is kept from before this range'
            }
            multiline
            maw={280}
          >
            <Switch
              size="sm"
              label="Compare"
              disabled={!isComparable}
              checked={compares}
              onChange={(event) => change({ compare: event.currentTarget.checked ? '1' : undefined }, true)}
            />
          </Tooltip>
          <SplitChoice chosen={split} ofOneNode={node !== undefined} choose={(to) => change({ split: to }, true)} />
          <NodeChoice chosen={node} choose={(to) => change({ node: to }, true)} />
          <SegmentedControl
            size="xs"
            aria-label="Range"
            data={[...offered]}
            value={range}
            onChange={(to) => change({ range: to }, true)}
          />
          <Button
            size="xs"
            variant="default"
            leftSection={<Download size={14} />}
            disabled={data === undefined}
            onClick={() => data && saveFile(`metrics-${range}.csv`, 'text/csv', metricsCsv(data))}
          >
            CSV
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<Image size={14} />}
            disabled={data === undefined || asTable}
            onClick={() => data && savePicture(`metrics-${range}.png`, shownCharts(data, range))}
          >
            PNG
          </Button>
          <DashboardButton />
        </div>
      }
    >
      {split !== undefined && <SplitFigures by={split} range={range} nodeId={node} asTable={asTable} />}
      <Area name="metrics" query={query} rows={8}>
        {(metrics) => <Figures metrics={metrics} asTable={asTable} before={before} isSplit={split !== undefined} />}
      </Area>
    </Page>
  )
}

/** Of one node nothing is left to split by nodes. */
function splitOf(wanted: string | undefined, node: string | undefined): SplitBy | undefined {
  if (wanted === 'definition') return 'definition'
  return wanted === 'node' && node === undefined ? 'node' : undefined
}

const ALL = 'all'

/** All nodes, or one of those that are there. One that is gone stays chosen: its figures are there a while longer. */
function NodeChoice(props: { readonly chosen: string | undefined; readonly choose: (id: string | undefined) => void }) {
  const { chosen, choose } = props
  const { data } = useQuery(nodesQuery())
  const nodes = (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const isGone = chosen !== undefined && nodes.every(({ value }) => value !== chosen)
  return (
    <Select
      size="xs"
      w={140}
      aria-label="Node"
      data={[
        { value: ALL, label: 'All nodes' },
        ...nodes,
        ...(isGone ? [{ value: chosen, label: `${chosen.slice(0, 12)}… (gone)` }] : []),
      ]}
      value={chosen ?? ALL}
      allowDeselect={false}
      onChange={(value) => choose(value === null || value === ALL ? undefined : value)}
    />
  )
}

/** Whose figures these are, and since when. */
function Covers({ metrics }: { readonly metrics: Metrics }) {
  const { data } = useQuery(nodesQuery())
  const name = data?.items.find(({ id }) => id === metrics.nodeId)?.name ?? metrics.nodeId
  return (
    <span data-testid="metrics-covers" data-scope={metrics.scope}>
      {metrics.scope === 'cluster' ? (
        'Of all nodes'
      ) : (
        <>
          Of node <strong>{name}</strong>
        </>
      )}
      , since <When at={metrics.from} />.
      {metrics.scope === 'cluster'
        ? ' Nodes write every minute what they counted.'
        : ' Figures of one node are kept for six hours, those of all for a month.'}
    </span>
  )
}

interface FiguresProps {
  readonly metrics: Metrics
  readonly asTable: boolean
  /** The curves of the range before, where they are compared. */
  readonly before: Metrics['curves'] | undefined
  /** What the first charts tell is told part by part. */
  readonly isSplit: boolean
}

function Figures({ metrics, asTable, before, isSplit }: FiguresProps) {
  const { data: events } = useQuery(eventsQuery())
  const marks = useMemo(() => marksOf(metrics, events?.items ?? []), [metrics, events])
  const charts = chartsOf(metrics.curves).filter((chart) => !isSplit || !isSplitChart(chart))
  return (
    <>
      <Totals metrics={metrics} before={before} />
      {marks.length > 0 && <Marks metrics={metrics} marks={marks} />}
      <div className={classes.charts}>
        {charts.map((chart) => (
          <ChartCard key={chart.id} chart={chart} metrics={metrics} marks={marks} asTable={asTable} before={before} />
        ))}
      </div>
    </>
  )
}

const MOST_MARKS = 5

/** What the lines across the curves are, the latest ones. */
function Marks({ metrics, marks }: { readonly metrics: Metrics; readonly marks: readonly Mark[] }) {
  return (
    <p className={classes.marks} data-testid="metrics-marks">
      {marks.length > MOST_MARKS && `${marks.length - MOST_MARKS} before, `}
      {marks
        .slice(-MOST_MARKS)
        .map(({ at, kind, name }) => `${name} ${markWords[kind]} ${momentText(metrics, at)}`)
        .join(' · ')}
    </p>
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

/** Totals that rates add up to. */
const rates: Readonly<Record<string, string>> = {
  started: 'startedPerMinute',
  completed: 'completedPerMinute',
  faulted: 'faultedPerMinute',
}

function Totals({ metrics, before }: Pick<FiguresProps, 'metrics' | 'before'>) {
  const earlier = (name: string): number | undefined => {
    const rate = rates[name]
    return rate === undefined || before === undefined ? undefined : countOf(metrics, before[rate])
  }
  return (
    <dl className={classes.totals} data-testid="metrics-totals">
      {totals.map(([name, label, write]) => (
        <div key={name} data-total={name} data-value={metrics.totals[name] ?? ''}>
          <dt>{label}</dt>
          <dd className="num">{metrics.totals[name] == null ? '–' : write(metrics.totals[name])}</dd>
          {earlier(name) !== undefined && (
            <dd className={classes.earlier} data-testid={`before-${name}`}>
              {earlier(name)!.toLocaleString('en')} before
            </dd>
          )}
        </div>
      ))}
    </dl>
  )
}

/** What the page shows now, painted once more. */
function shownCharts(metrics: Metrics, range: string): HTMLCanvasElement {
  const charts = [...document.querySelectorAll<HTMLCanvasElement>('[data-testid^="plot-"] canvas')].map((plot) => ({
    title: plot.closest('section')?.querySelector('h2')?.textContent ?? '',
    plot,
  }))
  return pictureOf(`Lockstep, ${range} up to ${momentText(metrics, metrics.at.at(-1) ?? 0)}`, charts)
}

function metricsCsv({ at, curves }: Metrics): string {
  const names = Object.keys(curves)
  return csvOf(
    ['at', ...names],
    at.map((ms, index) => [new Date(ms).toISOString(), ...names.map((name) => curves[name]?.[index])]),
  )
}
