import table from '../../ui/table.module.css'
import type { Chart } from './charts.ts'
import classes from './metrics.module.css'
import type { Metrics } from './metrics-query.ts'
import { momentText } from './moment-text.ts'

/** The same as the curves, newest first, to be read and not seen. */
export function CurveTable(props: {
  readonly chart: Chart
  readonly metrics: Metrics
  readonly open: (index: number) => void
}) {
  const { chart, metrics } = props
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={classes.scroll} tabIndex={0} aria-label={chart.title}>
      <table className={table.table}>
        <thead>
          <tr>
            <th>Until</th>
            {chart.curves.map(({ name, label }) => (
              <th key={name} className={table.right}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {metrics.at
            .map((ms, index) => (
              <tr key={ms}>
                <td>
                  <button type="button" className={`${classes.spike} link`} onClick={() => props.open(index)}>
                    {momentText(metrics, ms)}
                  </button>
                </td>
                {chart.curves.map(({ name }) => {
                  const value = metrics.curves[name]?.[index]
                  return (
                    <td key={name} className={table.right}>
                      {value === null || value === undefined ? '–' : chart.write(value)}
                    </td>
                  )
                })}
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </section>
  )
}
