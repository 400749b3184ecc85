import 'uplot/dist/uPlot.min.css'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import type { Chart, CurveOf } from './charts.ts'
import type { Mark, MarkKind } from './marks.ts'
import classes from './metrics.module.css'
import type { Metrics } from './metrics-query.ts'
import { momentText } from './moment-text.ts'

const HEIGHT = 180
/** Blue, amber, violet, green, red, slate: told apart without seeing colours by their dashes as well. */
const strokes = [
  { light: '#1d4ed8', dark: '#93c5fd', dash: [] },
  { light: '#b45309', dark: '#fcd34d', dash: [6, 3] },
  { light: '#6d28d9', dark: '#c4b5fd', dash: [2, 3] },
  { light: '#166534', dark: '#86efac', dash: [8, 3, 2, 3] },
  { light: '#b91c1c', dark: '#fca5a5', dash: [1, 2] },
  { light: '#475569', dark: '#cbd5e1', dash: [10, 4] },
] as const

/** Of whatever is left, whichever place it has. */
export const STROKE_OF_OTHERS = strokes.length - 1

const strokeOf = ({ stroke }: CurveOf, index: number): (typeof strokes)[number] =>
  strokes[(stroke ?? index) % strokes.length]!

const markStrokes: Readonly<Record<MarkKind, { readonly light: string; readonly dark: string }>> = {
  joined: { light: '#166534', dark: '#86efac' },
  left: { light: '#475569', dark: '#cbd5e1' },
  buried: { light: '#b91c1c', dark: '#fca5a5' },
}

/** Curves on a canvas. What they say is in the table beside it, for whoever cannot see them. */
export function CurveChart(props: {
  readonly chart: Chart
  readonly metrics: Metrics
  readonly marks: readonly Mark[]
  /** The same curves of the range before, where they are compared. */
  readonly before?: Metrics['curves'] | undefined
  /** A place of the curves was clicked. */
  readonly pick: (index: number) => void
}) {
  const { chart, metrics, marks, before } = props
  const silent = chart.curves.every(({ name }) => (metrics.curves[name] ?? []).every((value) => value === null))
  const scheme = useComputedColorScheme('light')
  const host = useRef<HTMLDivElement>(null)
  const pick = useRef(props.pick)
  pick.current = props.pick
  useEffect(() => {
    const element = host.current
    if (element === null || silent) return
    const style = getComputedStyle(document.documentElement)
    const ink = style.getPropertyValue('--muted').trim()
    const line = style.getPropertyValue('--border').trim()
    const font = `11px ${style.getPropertyValue('--font').trim()}`
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { show: false }, font }
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        hooks: { drawClear: [(drawn) => drawMarks(drawn, marks, scheme)] },
        cursor: { y: false, points: { size: 6 } },
        scales: {
          x: { range: spanOf(metrics) },
          y: { range: (_, __, max) => [0, chart.top ?? Math.max(max * 1.1, 1e-9)] },
        },
        axes: [
          {
            ...axis,
            size: 28,
            space: 90,
            values: (_, ticks) => ticks.map((tick) => momentText(metrics, tick * 1_000)),
          },
          { ...axis, size: 72, values: (_, ticks) => ticks.map((tick) => chart.write(tick)) },
        ],
        series: [
          {},
          ...chart.curves.map((curve, index) => {
            const { dash, ...colours } = strokeOf(curve, index)
            return { label: curve.label, stroke: colours[scheme], width: 1.6, dash: [...dash], points: { size: 4 } }
          }),
          ...(before === undefined ? [] : chart.curves).map((curve, index) => {
            const colours = strokeOf(curve, index)
            return { label: `${curve.label} before`, stroke: `${colours[scheme]}80`, width: 1, points: { show: false } }
          }),
        ],
      },
      dataOf(chart, metrics, before),
      element,
    )
    plot.over.addEventListener('click', () => {
      if (typeof plot.cursor.idx === 'number') pick.current(plot.cursor.idx)
    })
    const watch = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    watch.observe(element)
    return () => {
      watch.disconnect()
      plot.destroy()
    }
  }, [chart, metrics, marks, before, scheme, silent])
  return (
    <>
      <ul className={classes.legend}>
        {chart.curves.map((curve, index) => (
          <li key={curve.name}>
            <LineSample {...strokeOf(curve, index)} scheme={scheme} />
            <span className={classes.curveName}>{curve.label}</span>
          </li>
        ))}
        {before !== undefined && <li className="muted">thin: the range before</li>}
      </ul>
      {silent ? (
        <p className={classes.silent}>Nothing came in this range.</p>
      ) : (
        <div ref={host} className={classes.plot} aria-hidden="true" data-testid={`plot-${chart.id}`} />
      )}
    </>
  )
}

/** From the beginning of the first step: a single one has room as well. */
function spanOf({ from, at }: Metrics): [number, number] {
  const to = at.at(-1) ?? 0
  return [(from === null ? to - 1 : Date.parse(from)) / 1_000, to / 1_000]
}

/** Lines from top to bottom, beneath the curves. */
function drawMarks(plot: UPlot, marks: readonly Mark[], scheme: 'light' | 'dark'): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.setLineDash([3, 3])
  for (const { at, kind } of marks) {
    const x = plot.valToPos(at / 1_000, 'x', true)
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    ctx.strokeStyle = markStrokes[kind][scheme]
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
  }
  ctx.restore()
}

function LineSample({ scheme, dash, ...colours }: (typeof strokes)[number] & { readonly scheme: 'light' | 'dark' }) {
  return (
    <svg width={22} height={4} aria-hidden="true">
      <line x1={0} x2={22} y1={2} y2={2} stroke={colours[scheme]} strokeWidth={2} strokeDasharray={dash.join(' ')} />
    </svg>
  )
}

const dataOf = (chart: Chart, { at, curves }: Metrics, before: Metrics['curves'] | undefined): UPlot.AlignedData => [
  at.map((ms) => ms / 1_000),
  ...chart.curves.map(({ name }) => [...(curves[name] ?? [])]),
  ...(before === undefined ? [] : chart.curves.map(({ name }) => [...(before[name] ?? at.map(() => null))])),
]
