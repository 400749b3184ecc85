import { TextInput } from '@mantine/core'
import { hostOffset, hostZone } from '../../browser/zone.ts'
import type { Json } from '../model/index.ts'
import classes from './inspector.module.css'
import { fromLocal, offsetText, toLocal } from './moment-field.ts'

interface MomentInputProps {
  readonly id: string
  /** `date`: a day, without a time and a zone. */
  readonly kind: 'date' | 'date-time'
  readonly value: string | undefined
  readonly set: (value: Json | undefined) => void
  readonly error: string | undefined
  readonly readOnly: boolean
  readonly first: boolean
}

/** Picks a day, or a moment by the clock of this browser; what is written has its offset. */
export function MomentInput({ id, kind, value, set, error, readOnly, first }: MomentInputProps) {
  const common = { id, size: 'xs' as const, readOnly, error, ...(first ? { 'data-first-field': true } : {}) }
  if (kind === 'date')
    return (
      <TextInput
        {...common}
        type="date"
        value={value ?? ''}
        onChange={({ currentTarget }) => set(currentTarget.value === '' ? undefined : currentTarget.value)}
      />
    )
  const local = value === undefined ? '' : (toLocal(value, hostOffset) ?? '')
  const zone = value === undefined ? '' : ` (${offsetText(hostOffset(Date.parse(value))).replace('Z', 'UTC')})`
  return (
    <TextInput
      {...common}
      type="datetime-local"
      step={local.length > 16 ? 1 : 60}
      value={local}
      description={
        <span className={classes.zone} data-testid="field-zone">
          {hostZone()}
          {zone}
          {value !== undefined && <code>{value}</code>}
        </span>
      }
      inputWrapperOrder={['input', 'description', 'error']}
      onChange={({ currentTarget }) => set(fromLocal(currentTarget.value, hostOffset))}
    />
  )
}
