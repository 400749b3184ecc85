import type { Metrics } from './metrics-query.ts'

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' })
const day = new Intl.DateTimeFormat(undefined, {
  ...{ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' },
  hourCycle: 'h23',
})

/** A moment of the curves: where they cover days, the day is told. */
export const momentText = ({ range }: Pick<Metrics, 'range'>, ms: number): string =>
  (range.endsWith('d') ? day : clock).format(ms)
