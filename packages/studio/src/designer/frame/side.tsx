import { Outline } from '../outline/outline.tsx'
import { StepPalette } from '../palette/step-palette.tsx'
import { useDesigner, useDesignerState } from '../state/designer-state.ts'
import classes from './frame.module.css'

const tabs = [
  [false, 'Steps'],
  [true, 'Outline'],
] as const

/** Left of the drawing: what can be added, and what there is. */
export function Side() {
  const { store } = useDesigner()
  const outline = useDesignerState((state) => state.outline)
  const open = useDesignerState(({ panes }) => panes.side)
  if (!open) return null
  return (
    <div className={classes.side}>
      <div className={classes.sideTabs} role="tablist" aria-label="Steps and outline">
        {tabs.map(([value, label]) => (
          <button
            key={label}
            type="button"
            role="tab"
            id={`side-${label}`}
            aria-selected={outline === value}
            aria-controls="side-body"
            onClick={() => store.setState({ outline: value })}
          >
            {label}
          </button>
        ))}
      </div>
      <div
        id="side-body"
        role="tabpanel"
        aria-labelledby={outline ? 'side-Outline' : 'side-Steps'}
        className={classes.sideBody}
      >
        {outline ? <Outline /> : <StepPalette />}
      </div>
    </div>
  )
}
