import { Button, NativeSelect, Tabs } from '@mantine/core'
import { Suspense, useCallback } from 'react'
import { StepIcon } from '../../canvas/step-icon.tsx'
import { focusCanvas } from '../canvas/focus.ts'
import { rename, type Step, wrapSteps } from '../model/index.ts'
import { NoteBody } from '../notes/note-body.tsx'
import { slots } from '../slots.ts'
import { duplicateSelected, removeSelected, toggleDisabled } from '../state/commands.ts'
import { type InspectorTab, selectOnly, useDesigner, useDesignerState, useView } from '../state/designer-state.ts'
import { leavePane } from '../state/toggle-pane.ts'
import { InputsTab } from './inputs-tab.tsx'
import classes from './inspector.module.css'
import { LineFields, OutcomesTab } from './outcomes-tab.tsx'
import { ErrorTab, RetryTab } from './policy-tabs.tsx'
import { WorkflowFields } from './workflow-fields.tsx'

/** What is selected, in detail: a step, a line, several things, or the workflow itself. */
export function Inspector() {
  const designer = useDesigner()
  const view = useView()
  const selection = useDesignerState((state) => state.selection)
  const steps = [...selection].flatMap((key) => view.steps.get(key) ?? [])
  const lines = [...selection].flatMap((key) => view.connections.get(key) ?? [])
  const [step] = steps
  const [line] = lines
  return (
    <aside
      className={classes.inspector}
      data-inspector
      aria-label="Inspector"
      onKeyDown={(event) => {
        // What is asked in a dialog above all is left there.
        if (!event.currentTarget.contains(event.target as Node)) return
        if (event.key !== 'Escape' || event.defaultPrevented) return
        leavePane(designer, 'inspector')
        focusCanvas()
      }}
    >
      {step !== undefined && selection.size === 1 ? (
        <StepFields step={step} />
      ) : line !== undefined && selection.size === 1 ? (
        <div className={classes.scroll}>
          <h2 className={classes.title}>Line</h2>
          <LineFields line={line} />
        </div>
      ) : steps.length > 1 ? (
        <Several count={steps.length} />
      ) : (
        <WorkflowFields />
      )}
    </aside>
  )
}

function Several({ count }: { readonly count: number }) {
  const designer = useDesigner()
  const containers = [...designer.types.values()].filter(({ bodies }) => bodies?.some(({ name }) => name === 'body'))
  const wrap = (type: string): void => {
    const key = type === '' ? undefined : wrapSteps(designer.design, designer.store.getState().selection, type, 'body')
    if (key !== undefined) selectOnly(designer, [key])
  }
  return (
    <div className={classes.scroll}>
      <h2 className={classes.title}>{count} steps</h2>
      {designer.readOnly === undefined && (
        <div className={classes.adds}>
          <Button size="xs" variant="default" onClick={() => duplicateSelected(designer)}>
            Duplicate
          </Button>
          <Button size="xs" variant="default" onClick={() => toggleDisabled(designer)}>
            Disable or enable
          </Button>
          <Button size="xs" variant="default" color="danger" onClick={() => removeSelected(designer)}>
            Delete
          </Button>
          <NativeSelect
            size="xs"
            aria-label="Wrap in a container"
            value=""
            data={[
              { value: '', label: 'Wrap in …' },
              ...containers.map(({ type, title }) => ({ value: type, label: title })),
            ]}
            onChange={(event) => wrap(event.currentTarget.value)}
          />
        </div>
      )}
    </div>
  )
}

const tabs: readonly (readonly [InspectorTab, string])[] = [
  ['inputs', 'Inputs'],
  ['outcomes', 'Outcomes'],
  ['retry', 'Retry & timeout'],
  ['errors', 'Errors'],
  ['docs', 'Docs'],
  ['test', 'Test'],
]

function StepFields({ step }: { readonly step: Step }) {
  const { design, store, types, readOnly } = useDesigner()
  const tab = useDesignerState((state) => state.inspectorTab)
  const all = useDesignerState((state) => state.problems)
  const problems = all.filter((problem) => problem.step === step.key)
  const other = problems.filter(({ input }) => input === undefined)
  const type = types.get(step.type)
  return (
    <>
      <header className={classes.head}>
        <StepIcon type={step.type} size={16} />
        <div className={classes.names}>
          <input
            className={classes.name}
            aria-label="Name of the step"
            data-step-name
            readOnly={readOnly !== undefined}
            value={typeof step.fields.name === 'string' ? step.fields.name : ''}
            placeholder={step.id}
            onChange={(event) => rename(design, step.key, event.currentTarget.value)}
          />
          <span className="small muted">
            {type?.title ?? step.type} · <span className="mono">{step.id}</span>
            {step.disabled && ' · disabled'}
          </span>
        </div>
      </header>
      {other.length > 0 && (
        <ul className={classes.problems}>
          {other.map(({ pointer, code, text, severity }) => (
            <li key={pointer + code} data-severity={severity}>
              {text}
            </li>
          ))}
        </ul>
      )}
      <Tabs
        value={tab}
        onChange={(next) => store.setState({ inspectorTab: (next ?? 'inputs') as InspectorTab })}
        className={classes.tabs ?? ''}
        keepMounted={false}
      >
        <Tabs.List>
          {tabs.map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="inputs">
          <InputsTab step={step} problems={problems} />
        </Tabs.Panel>
        <Tabs.Panel value="outcomes">
          <OutcomesTab step={step} />
        </Tabs.Panel>
        <Tabs.Panel value="retry">
          <RetryTab key={step.key} step={step} problems={problems} />
        </Tabs.Panel>
        <Tabs.Panel value="errors">
          <ErrorTab step={step} problems={problems} />
        </Tabs.Panel>
        <Tabs.Panel value="docs">
          <div className={classes.fields}>
            <p>{type?.description ?? 'This server does not know this activity.'}</p>
            {type?.docs !== undefined && <NoteBody text={type.docs} />}
            <p className="small muted">
              Expressions read its output as <code className="mono">steps.{step.id}.output</code>.
            </p>
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="test">
          <StepTest key={step.key} step={step} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

function StepTest({ step }: { readonly step: Step }) {
  const { definitionId, design, saver, store, types } = useDesigner()
  const view = useView()
  const Part = slots.StepTest
  const reachesOut = useCallback(
    (type: string) => ['action', 'wait'].includes(types.get(type)?.kind ?? 'action'),
    [types],
  )
  if (Part === undefined) return null
  return (
    <Suspense>
      <Part
        definitionId={definitionId}
        document={view && design.toGraph()}
        step={step.id}
        reachesOut={reachesOut}
        save={async () => (saver === undefined ? true : saver.flush())}
        started={() => store.setState({ drawer: 'test' })}
      />
    </Suspense>
  )
}
