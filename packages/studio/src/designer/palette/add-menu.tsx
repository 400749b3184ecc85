import { StepIcon } from '../../canvas/step-icon.tsx'
import { focusCanvas } from '../canvas/focus.ts'
import { add } from '../state/commands.ts'
import { useDesigner, useDesignerState } from '../state/designer-state.ts'
import { matching } from './activity-types.ts'
import { PickList } from './pick-list.tsx'
import { recentTypes } from './recent-types.ts'

/** Chooses the next step: opened by Tab, or by dragging a line into the void. */
export function AddMenu() {
  const designer = useDesigner()
  const adding = useDesignerState((state) => state.adding)
  if (adding === undefined) return null
  const close = (): void => {
    designer.store.setState({ adding: undefined })
    focusCanvas()
  }
  const leads = adding.after !== undefined || adding.into !== undefined || adding.body !== ''
  const types = [...designer.types.values()].filter((type) => !leads || type.kind !== 'trigger')
  return (
    <PickList
      label="Add a step"
      placeholder="Search steps"
      nothing="No step is called that."
      at={adding.at}
      itemsFor={(text) =>
        matching(types, text, recentTypes())
          .slice(0, 40)
          .map(({ type, title, description }) => ({
            ...{ id: type, label: title, hint: description },
            icon: <StepIcon type={type} size={16} />,
          }))
      }
      pick={(type) => {
        add(designer, designer.types.get(type)!, adding)
        close()
      }}
      close={close}
    />
  )
}
