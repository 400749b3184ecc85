import { Tabs } from '@mantine/core'
import { ChevronDown, CircleAlert, TriangleAlert } from 'lucide-react'
import { Suspense } from 'react'
import { JsonView } from '../../ui/json-view.tsx'
import { type PlacedProblem, replaceDocument } from '../model/index.ts'
import { slots } from '../slots.ts'
import {
  type DrawerTab,
  selectOnly,
  useDesigner,
  useDesignerState,
  useSelectedStep,
  useView,
} from '../state/designer-state.ts'
import { togglePane } from '../state/toggle-pane.ts'
import classes from './frame.module.css'

/** Below the drawing: what is wrong, trying it out, and the document itself. */
export function Drawer() {
  const { store } = useDesigner()
  const tab = useDesignerState((state) => state.drawer)
  const problems = useDesignerState((state) => state.problems)
  const open = (next: string | null): void => store.setState({ drawer: (next ?? undefined) as DrawerTab | undefined })
  return (
    <section className={classes.drawer} data-open={tab !== undefined} aria-label="Drawer">
      <Tabs value={tab ?? null} onChange={open} keepMounted={false} className={classes.drawerTabs ?? ''}>
        <Tabs.List>
          <Tabs.Tab value="problems" onClick={() => tab === 'problems' && open(null)}>
            Problems{problems.length > 0 && <span className={classes.count}>{problems.length}</span>}
          </Tabs.Tab>
          {slots.TestRun !== undefined && <Tabs.Tab value="test">Test run</Tabs.Tab>}
          <Tabs.Tab value="code">Code</Tabs.Tab>
        </Tabs.List>
        {tab !== undefined && (
          <button type="button" className={classes.close} aria-label="Close the drawer" onClick={() => open(null)}>
            <ChevronDown size={16} aria-hidden />
          </button>
        )}
        <Tabs.Panel value="problems" className={classes.panel ?? ''}>
          <Problems problems={problems} />
        </Tabs.Panel>
        <Tabs.Panel value="test" className={classes.panel ?? ''}>
          <TestRun />
        </Tabs.Panel>
        <Tabs.Panel value="code" className={classes.panel ?? ''}>
          <Code />
        </Tabs.Panel>
      </Tabs>
    </section>
  )
}

function Problems({ problems }: { readonly problems: readonly PlacedProblem[] }) {
  const designer = useDesigner()
  const view = useView()
  const save = useDesignerState((state) => state.save.kind)
  if (problems.length === 0)
    return (
      <p className="muted">
        {save === 'saved' || save === 'saving'
          ? 'No problems. It can be published.'
          : 'No problems that can be told without the server: it has not seen your last changes.'}
      </p>
    )
  const show = (problem: PlacedProblem): void => {
    if (problem.step === undefined || !view.steps.has(problem.step)) return selectOnly(designer, [])
    selectOnly(designer, [problem.step])
    togglePane(designer, 'inspector', true)
    designer.store.setState({ inspectorTab: tabOf(problem) })
    if (problem.input !== undefined) focusField(`input-${problem.step}-${problem.input}`)
  }
  return (
    <ul className={classes.problems}>
      {problems.map((problem) => (
        <li key={`${problem.pointer} ${problem.code} ${problem.text}`}>
          <button
            type="button"
            data-problem={problem.code}
            data-pointer={problem.pointer}
            onClick={() => show(problem)}
          >
            {problem.severity === 'error' ? (
              <CircleAlert size={14} aria-label="Error" className={classes.error} />
            ) : (
              <TriangleAlert size={14} aria-label="Warning" className={classes.warning} />
            )}
            <span>{problem.text}</span>
            <span className="small muted clip">
              {problem.step === undefined ? 'Workflow' : (view.steps.get(problem.step)?.name ?? problem.step)}
            </span>
            <span className="small muted mono">{problem.code}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

function tabOf({ path }: PlacedProblem): 'inputs' | 'retry' | 'errors' {
  if (/^(retry|timeout|heartbeatTimeout|lock|limit|breaker)/.test(path)) return 'retry'
  return /^(onError|effect|join|compensate)/.test(path) ? 'errors' : 'inputs'
}

/** The inspector shows it in a moment, and its editor may come later: what took its place in between gives the focus on. */
function focusField(id: string, frames = 90): void {
  const field = document.getElementById(id)
  const lost = document.activeElement === document.body || document.activeElement?.closest('[data-pointer]') !== null
  if (field !== null && lost) field.focus()
  if (frames > 0) requestAnimationFrame(() => focusField(id, frames - 1))
}

function TestRun() {
  const { definitionId, design, saver, store } = useDesigner()
  const selected = useSelectedStep()
  const view = useView()
  const Part = slots.TestRun
  if (Part === undefined) return null
  return (
    <Suspense>
      <Part
        definitionId={definitionId}
        document={view && design.toGraph()}
        selected={selected}
        save={async () => (saver === undefined ? true : saver.flush())}
        showStates={(states) => store.setState({ states })}
      />
    </Suspense>
  )
}

function Code() {
  const { design, readOnly } = useDesigner()
  const view = useView()
  const problems = useDesignerState((state) => state.problems)
  const document = view && design.toGraph()
  const Part = slots.CodeView
  if (Part === undefined) return <JsonView value={document} name="document" />
  return (
    <Suspense>
      <Part
        document={document}
        problems={problems}
        readOnly={readOnly !== undefined}
        replace={(next) => void replaceDocument(design, next)}
      />
    </Suspense>
  )
}
