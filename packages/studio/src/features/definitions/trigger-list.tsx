import { Tooltip } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CalendarClock, Globe, type LucideIcon, Radio } from 'lucide-react'
import type { Trigger } from '../../api/wire.ts'
import { cronWords } from '../schedules/cron-words.ts'
import { triggerText } from '../schedules/trigger-text.ts'
import classes from './definition.module.css'

const kinds: Readonly<Record<Trigger['kind'], { readonly icon: LucideIcon; readonly label: string }>> = {
  schedule: { icon: CalendarClock, label: 'At times' },
  event: { icon: Radio, label: 'By an event' },
  http: { icon: Globe, label: 'By a request' },
}

/** What starts a workflow besides people and programs that ask for it: the first one in words, the others behind their number. */
export function TriggerList({ id, triggers }: { readonly id: string; readonly triggers: readonly Trigger[] }) {
  const [first, ...others] = triggers
  if (first === undefined) return <span className="muted">On demand</span>
  return (
    <span className={classes.triggers}>
      <OneTrigger trigger={first} />
      {others.length > 0 && (
        <Tooltip multiline maw={360} label={others.map(wordsOf).join(' · ')}>
          <Link to="/definitions/$definitionId" params={{ definitionId: id }} className="link small">
            +{others.length}
          </Link>
        </Tooltip>
      )}
    </span>
  )
}

function OneTrigger({ trigger }: { readonly trigger: Trigger }) {
  const { icon: Icon, label } = kinds[trigger.kind]
  const words = wordsOf(trigger)
  return (
    <>
      <Icon size={14} role="img" aria-label={label} className={classes.triggerIcon} />
      {trigger.kind === 'schedule' ? (
        <Link to="/schedules/$scheduleId" params={{ scheduleId: trigger.text }} className="link clip" title={words}>
          {words}
        </Link>
      ) : (
        <span className="mono clip" title={words}>
          {words}
        </span>
      )}
    </>
  )
}

function wordsOf({ kind, text, when }: Trigger): string {
  if (kind !== 'schedule') return text
  const { cron, zone, timeZone } = when ?? {}
  const words = typeof cron === 'string' ? cronWords(cron) : undefined
  return words === undefined ? triggerText({ trigger: when }) : `${words}, ${String(zone ?? timeZone ?? 'UTC')}`
}
