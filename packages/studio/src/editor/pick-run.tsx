import { Select } from '@mantine/core'
import { History } from 'lucide-react'
import type { Instance } from '../api/wire.ts'
import { looks } from '../ui/status.tsx'
import classes from './expression-field.module.css'

/** Which run values come from. */
export function PickRun(props: {
  readonly runs: readonly Instance[]
  readonly picked: string | undefined
  readonly pick: (instanceId: string) => void
}) {
  return (
    <Select
      size="xs"
      className={classes.run ?? ''}
      aria-label="Run that values come from"
      leftSection={<History size={12} aria-hidden />}
      allowDeselect={false}
      data={props.runs.map((run) => ({ value: run.id, label: runText(run) }))}
      value={props.picked ?? null}
      onChange={(id) => id !== null && props.pick(id)}
      comboboxProps={{ withinPortal: true, width: 260, position: 'bottom-end' }}
    />
  )
}

const runText = ({ id, status, test }: Instance): string =>
  `${test === true ? 'Test ' : ''}${id.slice(-6)} · ${looks[status].label}`
