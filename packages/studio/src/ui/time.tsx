import { Tooltip } from '@mantine/core'
import { useNow } from './now.ts'
import { durationText, relativeText } from './time-text.ts'

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** Says when, from now; both zones on hover. */
export function When({ at, none = '–' }: { readonly at: string | null | undefined; readonly none?: string }) {
  const now = useNow()
  if (at === null || at === undefined) return <span className="muted">{none}</span>
  const ms = Date.parse(at)
  return (
    <Tooltip label={<TwoZones at={at} />} openDelay={300} withinPortal>
      <time dateTime={at} className="num">
        {relativeText(ms, now)}
      </time>
    </Tooltip>
  )
}

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
