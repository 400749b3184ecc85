import { Button, CloseButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useLive } from '../../live/live-state.ts'
import { restoreSteps } from '../model/index.ts'
import { selectOnly, useDesigner, useDesignerState } from '../state/designer-state.ts'
import classes from './frame.module.css'

/** While the stream is only just opening again nothing is said. */
const PATIENCE_MS = 1_500

/** Above the drawing: what whoever draws should know. */
export function Notices() {
  const { readOnly } = useDesigner()
  return (
    <div className={classes.notices}>
      {readOnly === undefined ? <WithoutStream /> : <p className={classes.banner}>{readOnly}</p>}
      <LostSteps />
    </div>
  )
}

function WithoutStream() {
  const { paused, mode } = useLive()
  const [before] = useDebouncedValue(mode, PATIENCE_MS)
  const lasting = before === mode ? mode : undefined
  if (lasting === 'stale')
    return (
      <p className={classes.banner} data-testid="designer-stale" role="status">
        The server does not answer: what you draw is kept in this browser, and saved when it is back.
      </p>
    )
  if (!paused && lasting !== 'polling') return null
  return (
    <p className={classes.banner} data-testid="without-stream" role="status">
      {paused ? 'Live updates are paused' : 'No live connection'}: you see others' changes later, and overwrite none.
    </p>
  )
}

function LostSteps() {
  const designer = useDesigner()
  const lost = useDesignerState((state) => state.lost)
  if (lost === undefined) return null
  const forget = (): void => designer.store.setState({ lost: undefined })
  const restore = (): void => {
    selectOnly(designer, restoreSteps(designer.design, lost.removed))
    forget()
  }
  return (
    <div className={classes.lost} data-testid="lost-steps" role="alert">
      <span>
        Somebody else removed <strong>{lost.names.join(', ')}</strong> while you had it open.
      </span>
      <Button size="compact-xs" onClick={restore}>
        Restore
      </Button>
      <CloseButton size="xs" aria-label="Let it go" onClick={forget} />
    </div>
  )
}
