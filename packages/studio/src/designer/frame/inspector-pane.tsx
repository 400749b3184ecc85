import { useLocalStorage } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { Inspector } from '../inspector/inspector.tsx'
import { useDesignerState } from '../state/designer-state.ts'
import classes from './frame.module.css'

const LEAST = 320
const MOST = 720

/** The inspector, as wide as somebody wants it. */
export function InspectorPane() {
  const [width, setWidth] = useLocalStorage({ key: 'lockstep-inspector-width', defaultValue: 380 })
  const pane = useRef<HTMLDivElement>(null)
  const open = useDesignerState(({ panes }) => panes.inspector)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once it is open again it has to be told again
  useEffect(() => {
    pane.current?.parentElement?.style.setProperty('--inspector', `${width}px`)
  }, [width, open])
  const to = (next: number): void => setWidth(Math.max(LEAST, Math.min(MOST, Math.round(next))))
  if (!open) return null
  return (
    <div className={classes.inspector} ref={pane}>
      {/* biome-ignore lint/a11y/useSemanticElements: a rule cannot be dragged */}
      <div
        className={classes.grip}
        role="separator"
        tabIndex={0}
        aria-label="Width of the inspector"
        aria-orientation="vertical"
        aria-valuenow={width}
        aria-valuemin={LEAST}
        aria-valuemax={MOST}
        onKeyDown={(event) => {
          const by = event.key === 'ArrowLeft' ? 20 : event.key === 'ArrowRight' ? -20 : 0
          if (by === 0) return
          to(width + by)
          event.stopPropagation()
          event.preventDefault()
        }}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) to(window.innerWidth - event.clientX)
        }}
      />
      <Inspector />
    </div>
  )
}
