import { useState } from 'react'
import { When } from '../../ui/time.tsx'
import { type BreakerChange, causeText, historyText } from './breaker-history.ts'
import classes from './breakers.module.css'

const SHOWN = 3
const words = { closed: 'Closed', open: 'Opened', 'half-open': 'Half-open' } as const

/** What it became lately: the higher a bar, the less is let through; then the newest in words. */
export function HistoryStrip({ history }: { readonly history: readonly BreakerChange[] }) {
  const [all, showAll] = useState(false)
  if (history.length === 0) return <p className="small muted">No change of it was noted yet.</p>
  const shown = all ? history : history.slice(0, SHOWN)
  const text = historyText(history)
  return (
    <section className={classes.history} aria-label="History" data-testid="breaker-history">
      <span className={classes.strip} role="img" aria-label={text} title={text}>
        {history.toReversed().map(({ state }, index) => (
          <i key={String(history.length - index)} data-state={state} />
        ))}
      </span>
      <ol>
        {shown.map((change, index) => (
          <li key={String(history.length - index)} data-state={change.state}>
            <span>
              <strong>{words[change.state]}</strong> <When at={change.at} />
            </span>
            <Cause change={change} before={history[index + 1]} />
          </li>
        ))}
      </ol>
      {history.length > SHOWN && (
        <button type="button" className="link small" aria-expanded={all} onClick={() => showAll(!all)}>
          {all ? 'Fewer' : `All ${history.length}`}
        </button>
      )}
    </section>
  )
}

function Cause({ change, before }: { readonly change: BreakerChange; readonly before: BreakerChange | undefined }) {
  const parts = [causeText(change, before), change.reason ?? ''].filter((each) => each !== '')
  if (parts.length === 0) return null
  return <span className="muted">{parts.join(': ')}</span>
}
