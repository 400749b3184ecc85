import { ArrowRight } from 'lucide-react'
import { JsonView } from '../../ui/json-view.tsx'
import { Facts } from '../../ui/page.tsx'
import { SidePanel } from '../../ui/side-panel.tsx'
import { When } from '../../ui/time.tsx'
import classes from './audit.module.css'
import type { AuditEntry } from './audit-query.ts'
import { changesOf } from './changes.ts'

export function AuditPanel({ entry, close }: { readonly entry: AuditEntry; readonly close: () => void }) {
  const told = entry.before !== null || entry.after !== null
  return (
    <SidePanel title={<strong className="mono">{entry.operation}</strong>} close={close}>
      <div data-testid="audit-panel">
        <Facts
          items={[
            ['When', <When key="at" at={entry.at} />],
            ...(entry.times > 1 ? ([['Times', `${entry.times}, within a moment`]] as const) : []),
            ['Who', `${entry.actor.id} (${entry.actor.kind})`],
            ['On', entry.target || '–'],
            ['Outcome', `${entry.outcome}, ${entry.status}`],
            ['Reason', entry.reason ?? '–'],
            ['From', entry.address],
            ['With', entry.agent || '–'],
            ['Tenant', entry.tenant],
            ['Node', entry.node || '–'],
            ['Entry', entry.seq],
          ]}
        />
        {told ? (
          <>
            <Changes entry={entry} />
            <h3 className={classes.part}>Before</h3>
            <JsonView value={entry.before} name="value before" />
            <h3 className={classes.part}>After</h3>
            <JsonView value={entry.after} name="value after" />
          </>
        ) : (
          <p className="muted small">
            What it was before and after is told for limits, flow policies, breakers, schedules and users.
          </p>
        )}
      </div>
    </SidePanel>
  )
}

function Changes({ entry }: { readonly entry: AuditEntry }) {
  const changes = changesOf(entry.before, entry.after)
  // Where the whole came or went, what follows says it all.
  if (changes.some(({ path }) => path === '')) return null
  return (
    <>
      <h3 className={classes.part}>What changed</h3>
      {changes.length === 0 ? (
        <p className="muted small">Nothing: it was so before.</p>
      ) : (
        <ul className={classes.changes} data-testid="audit-changes">
          {changes.map(({ path, before, after }) => (
            <li key={path}>
              <span className="mono small">{path}</span>
              <del className="mono small">{valueText(before)}</del>
              <ArrowRight size={12} aria-label="became" />
              <ins className="mono small">{valueText(after)}</ins>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

const LONGEST = 120

function valueText(value: unknown): string {
  const text = value === undefined ? 'none' : JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
