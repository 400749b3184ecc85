import { cronWords } from './cron-words.ts'
import { triggerText } from './trigger-text.ts'

/** When a schedule fires: a cron in words where there are some, with its zone and as it was written. */
export function TriggerWords({ document }: { readonly document: Readonly<Record<string, unknown>> }) {
  const { cron, zone, timeZone } = (document.trigger ?? {}) as Readonly<Record<string, unknown>>
  const words = typeof cron === 'string' ? cronWords(cron) : undefined
  if (words === undefined) return <span className="mono">{triggerText(document)}</span>
  return (
    <span>
      {words}, {String(zone ?? timeZone ?? 'UTC')} <span className="mono small muted">{String(cron)}</span>
    </span>
  )
}
