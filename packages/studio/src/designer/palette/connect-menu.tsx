import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { StepIcon } from '../../canvas/step-icon.tsx'
import { focusCanvas } from '../canvas/focus.ts'
import { connect, connectionsFrom, inFlowOrder, type Step, stepsOf } from '../model/index.ts'
import { freeOutcome, say } from '../state/commands.ts'
import { useDesigner, useDesignerState, useView } from '../state/designer-state.ts'
import { outcomesOf } from './activity-types.ts'
import { PickList } from './pick-list.tsx'

/** Connects a step to another one of its body by keyboard. */
export function ConnectMenu() {
  const key = useDesignerState((state) => state.connecting)
  const step = useView().steps.get(key ?? '')
  return step === undefined ? null : <Choose step={step} key={step.key} />
}

function Choose({ step }: { readonly step: Step }) {
  const designer = useDesigner()
  const view = useView()
  const [outcome, setOutcome] = useState(() => freeOutcome(designer, step))
  const outcomes = outcomesOf(
    step,
    designer.types.get(step.type),
    connectionsFrom(view, step).map((line) => line.outcome),
  )
  const close = (): void => {
    designer.store.setState({ connecting: undefined })
    focusCanvas()
  }
  const others = inFlowOrder(view, stepsOf(view, step.body)).filter(({ key }) => key !== step.key)
  const node = document.querySelector(`[data-step="${CSS.escape(step.id)}"]`)?.getBoundingClientRect()
  return (
    <PickList
      label={`Connect ${step.name} to`}
      placeholder="Which step comes next?"
      nothing="There is no such step beside it."
      at={{ x: (node?.right ?? 300) + 16, y: node?.top ?? 200 }}
      itemsFor={(text) =>
        others
          .filter(({ name, id }) => `${name} ${id}`.toLowerCase().includes(text.trim().toLowerCase()))
          .map(({ key, name, id, type }) => ({
            ...{ id: key, label: name, hint: id },
            icon: <StepIcon type={type} size={16} />,
          }))
      }
      pick={(to) => {
        connect(designer.design, step.key, outcome, to)
        say(designer, `${step.name} leads to ${view.steps.get(to)?.name ?? to} through ${outcome}.`)
        close()
      }}
      close={close}
    >
      {outcomes.length > 1 && (
        <NativeSelect
          size="xs"
          label="Way out"
          mb={8}
          data={[...outcomes]}
          value={outcome}
          onChange={(event) => setOutcome(event.currentTarget.value)}
        />
      )}
    </PickList>
  )
}
