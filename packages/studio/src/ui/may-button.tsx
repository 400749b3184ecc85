import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import { useMay } from './use-may.ts'

interface MayButtonProps extends Omit<ButtonProps, 'disabled'> {
  /** What the server asks for. */
  readonly permission?: string
  /** Why it cannot be done now, whoever asks. */
  readonly fault?: string | undefined
  readonly type?: 'button' | 'submit'
  readonly onClick?: () => void
  readonly 'aria-label'?: string
  readonly 'data-testid'?: string
}

/** A button that says why it does nothing. It can still be reached by keyboard and pointer, so that the reason can. */
export function MayButton({ permission, fault, onClick, type = 'button', ...props }: MayButtonProps) {
  const { reason } = useMay(permission)
  const why = reason ?? fault
  const off = why !== undefined
  return (
    <Tooltip label={why} disabled={!off} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
      <Button
        {...props}
        type={type}
        {...(off ? { 'data-disabled': true, 'aria-disabled': true, 'aria-description': why } : {})}
        onClick={(event) => {
          if (off) event.preventDefault()
          else onClick?.()
        }}
      />
    </Tooltip>
  )
}
