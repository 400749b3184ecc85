import { useReactFlow } from '@xyflow/react'
import { StepIcon } from '../../canvas/step-icon.tsx'
import { focusCanvas } from '../canvas/focus.ts'
import { PickList } from '../palette/pick-list.tsx'
import { say } from '../state/commands.ts'
import { selectOnly, useDesigner, useDesignerState, useView } from '../state/designer-state.ts'
import { bringIntoView } from '../state/use-keys.ts'
import { findSteps } from './find-steps.ts'

const MOST = 40

/** Ctrl F: goes to a step by anything that stands in it. */
export function FindMenu() {
  const designer = useDesigner()
  const view = useView()
  const flow = useReactFlow()
  const finding = useDesignerState((state) => state.finding)
  if (!finding) return null
  const close = (): void => {
    designer.store.setState({ finding: false })
    focusCanvas()
  }
  const box = document.querySelector('[data-designer-canvas]')?.getBoundingClientRect()
  return (
    <PickList
      label="Find a step"
      placeholder="Name, type, expression or value"
      nothing="No step holds that."
      at={{ x: (box?.left ?? 0) + (box?.width ?? 340) / 2 - 170, y: (box?.top ?? 0) + 16 }}
      itemsFor={(text) =>
        findSteps(view, text, (type) => designer.types.get(type)?.title)
          .slice(0, MOST)
          .map(({ step, place }) => ({
            ...{ id: step.key, label: step.name, hint: place ?? step.id },
            icon: <StepIcon type={step.type} size={16} />,
          }))
      }
      pick={(key) => {
        selectOnly(designer, [key])
        say(designer, `${view.steps.get(key)?.name ?? key} found.`)
        close()
        // A container around it may have to unfold first.
        requestAnimationFrame(() => bringIntoView(designer, flow))
      }}
      close={close}
    />
  )
}
