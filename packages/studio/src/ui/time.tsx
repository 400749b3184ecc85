import { Tooltip } from '@mantine/core'
import { useNow } from './now.ts'
import { type TimeStyle, useTimeStyle } from './time-style.ts'
import { durationText, relativeText } from './time-text.ts'

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** Says when, in the style that was chosen; both zones on hover. */
export function When({ at, none = '–' }: { readonly at: string | null | undefined; readonly none?: string }) {
  const now = useNow()
  const style = useTimeStyle((state) => state.style)
  if (at === null || at === undefined) return <span className="muted">{none}</span>
  const ms = Date.parse(at)
  return (
    <Tooltip label={<TwoZones at={at} />} openDelay={300} withinPortal>
      <time dateTime={at} className="num">
        {written(ms, now, style)}
      </time>
    </Tooltip>
  )
}

const written = (ms: number, now: number, style: TimeStyle): string =>
  style === 'relative' ? relativeText(ms, now) : style === 'local' ? local.format(ms) : utcText(ms)

const utcText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`

function TwoZones({ at }: { readonly at: string }) {
  const ms = Date.parse(at)
  return (
    <span className="num small">
      {local.format(ms)} local
      <br />
      {new Date(ms).toISOString().replace('T', ' ')} UTC
    </span>
  )
}

/** How long it took, or has taken so far. */
export function Took({ from, to }: { readonly from: string | null; readonly to: string | null }) {
  const now = useNow()
  if (from === null) return <span className="muted">–</span>
  return <span className="num">{durationText((to === null ? now : Date.parse(to)) - Date.parse(from))}</span>
}
