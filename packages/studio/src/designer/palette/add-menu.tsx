import { NativeSelect } from '@mantine/core'
import { useReactFlow } from '@xyflow/react'
import { useState } from 'react'
import { partName } from '../../canvas/part-name.ts'
import { StepIcon } from '../../canvas/step-icon.tsx'
import { focusCanvas } from '../canvas/focus.ts'
import { bodiesOf } from '../model/index.ts'
import { add, emptyBodyOf, endOf } from '../state/commands.ts'
import { type Adding, useDesigner, useDesignerState, useView } from '../state/designer-state.ts'
import { bringIntoView } from '../state/use-keys.ts'
import { matching } from './activity-types.ts'
import { PickList } from './pick-list.tsx'
import { recentTypes } from './recent-types.ts'

/** Chooses the next step: opened by Tab, or by dragging a line into the void. */
export function AddMenu() {
  const adding = useDesignerState((state) => state.adding)
  return adding === undefined ? null : <Choose adding={adding} />
}

const AFTER = 'after'

function Choose({ adding }: { readonly adding: Adding }) {
  const designer = useDesigner()
  const view = useView()
  const flow = useReactFlow()
  const holder = adding.after?.step
  // A line that was drawn into the void says where it goes.
  const bodies = holder === undefined || adding.position !== undefined ? [] : bodiesOf(view, holder)
  const [where, setWhere] = useState(() => (bodies.length > 0 ? emptyBodyOf(designer, holder!) : undefined) ?? AFTER)
  const close = (): void => {
    designer.store.setState({ adding: undefined })
    focusCanvas()
  }
  const inside = where !== AFTER
  const leads = inside || adding.after !== undefined || adding.into !== undefined || adding.body !== ''
  const types = [...designer.types.values()].filter((type) => !leads || type.kind !== 'trigger')
  const nameOf = ({ slot, at }: (typeof bodies)[number]): string =>
    `Inside, ${partName(view.steps.get(holder!)?.type ?? '', slot, at).toLowerCase()}`
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
        add(designer, designer.types.get(type)!, inside ? endOf(designer, where) : adding)
        close()
        requestAnimationFrame(() => bringIntoView(designer, flow))
      }}
      close={close}
    >
      {bodies.length > 0 && (
        <NativeSelect
          size="xs"
          label="Where"
          mb={8}
          data={[
            { value: AFTER, label: `After ${view.steps.get(holder!)?.name ?? holder}` },
            ...bodies.map((body) => ({ value: body.key, label: nameOf(body) })),
          ]}
          value={where}
          onChange={(event) => setWhere(event.currentTarget.value)}
        />
      )}
    </PickList>
  )
}
