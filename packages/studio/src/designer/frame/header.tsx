import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft, CircleCheck, Network, PanelLeft, PanelRight, Redo2, Rocket, Undo2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import { definitionQuery } from '../../api/queries.ts'
import { StartButton } from '../../features/instances/start-dialog.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { placeProblems, replaceDocument, setMember } from '../model/index.ts'
import { slots } from '../slots.ts'
import { arrangeAll } from '../state/commands.ts'
import { type Designer, useDesigner, useDesignerState, useView } from '../state/designer-state.ts'
import { readDraft } from '../state/open-designer.ts'
import type { Panes } from '../state/panes.ts'
import { togglePane } from '../state/toggle-pane.ts'
import classes from './frame.module.css'
import { SaveMark } from './save-mark.tsx'

/** Asks the server about the draft as it stands. `unsaved`: it could not be asked about this one. */
async function validate(designer: Designer): Promise<'publishable' | 'faulty' | 'unsaved'> {
  const { design, saver, store, definitionId } = designer
  if (saver !== undefined && !(await saver.flush())) return 'unsaved'
  const { problems } = await readDraft(definitionId)
  store.setState({ problems: placeProblems(problems, design.written.pointers) })
  return problems.every(({ severity }) => severity !== 'error') ? 'publishable' : 'faulty'
}

const tellUnsaved = (what: string): void =>
  void notifications.show({ color: 'danger', title: what, message: 'The draft could not be saved. It is kept here.' })

export function Header() {
  const designer = useDesigner()
  const { design, store, definitionId, readOnly } = designer
  const view = useView()
  const { data: definition } = useQuery(definitionQuery(definitionId))
  const versions = useDesignerState((state) => state.versions)
  const name = typeof view.members.name === 'string' ? view.members.name : ''
  return (
    <header className={classes.header}>
      <Tooltip label="Back to the workflow">
        <ActionIcon
          component={Link}
          to="/definitions/$definitionId"
          params={{ definitionId } as never}
          variant="subtle"
          color="gray"
          aria-label="Back to the workflow"
        >
          <ArrowLeft size={16} />
        </ActionIcon>
      </Tooltip>
      <PaneButton pane="side" label="Steps and outline ([)" icon={PanelLeft} />
      <h1 className="visually-hidden">Designer: {name || definitionId}</h1>
      <input
        className={classes.name}
        aria-label="Name of the workflow"
        value={name}
        placeholder={definitionId}
        readOnly={readOnly !== undefined}
        maxLength={200}
        onChange={(event) => setMember(design, 'name', event.currentTarget.value || undefined)}
      />
      {readOnly === undefined ? (
        <SaveMark />
      ) : (
        <span className={classes.readOnly} role="status">
          Read only
        </span>
      )}
      <div className={classes.tools}>
        <Tool label="Undo (Ctrl Z)" off={!design.canUndo} fault={readOnly} run={() => design.undo()}>
          <Undo2 size={16} />
        </Tool>
        <Tool label="Redo (Ctrl Shift Z)" off={!design.canRedo} fault={readOnly} run={() => design.redo()}>
          <Redo2 size={16} />
        </Tool>
        <Tool
          label="Lay out (Shift L)"
          off={view.steps.size === 0}
          fault={readOnly}
          run={() => void arrangeAll(designer)}
        >
          <Network size={16} />
        </Tool>
        <MayButton
          size="xs"
          variant="default"
          leftSection={<CircleCheck size={14} />}
          fault={readOnly}
          onClick={() =>
            void validate(designer)
              .catch(() => 'unsaved')
              .then(() => store.setState({ drawer: 'problems' }))
          }
        >
          Validate
        </MayButton>
        {slots.Versions !== undefined && (
          <Button size="xs" variant="default" onClick={() => store.setState({ versions: !versions })}>
            Versions
          </Button>
        )}
        {definition?.version != null && (
          <span data-designer-run>
            <StartButton label="Run" definitionId={definitionId} />
          </span>
        )}
        <PublishButton />
        <PaneButton pane="inspector" label="Inspector (])" icon={PanelRight} />
      </div>
      <VersionsPanel />
    </header>
  )
}

function PaneButton(props: { readonly pane: keyof Panes; readonly label: string; readonly icon: typeof PanelLeft }) {
  const { pane, label, icon: Icon } = props
  const designer = useDesigner()
  const open = useDesignerState(({ panes }) => panes[pane])
  return (
    <Tooltip label={`${open ? 'Hide' : 'Show'}: ${label}`}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={30}
        aria-label={label.replace(/ \(.*/, '')}
        aria-pressed={open}
        onClick={() => togglePane(designer, pane)}
      >
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  )
}

/** `fault`: why it does nothing, whatever there is to do. It can still be reached, so that the reason can. */
function Tool(props: {
  readonly label: string
  readonly off: boolean
  readonly fault: string | undefined
  readonly run: () => void
  readonly children: React.ReactNode
}) {
  const { label, fault } = props
  const look = { variant: 'subtle', color: 'gray', size: 30, 'aria-label': label.replace(/ \(.*/, '') } as const
  return (
    <Tooltip label={fault ?? label} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
      {fault === undefined ? (
        <ActionIcon {...look} disabled={props.off} onClick={props.run}>
          {props.children}
        </ActionIcon>
      ) : (
        <ActionIcon {...look} data-disabled aria-disabled aria-description={fault}>
          {props.children}
        </ActionIcon>
      )}
    </Tooltip>
  )
}

function PublishButton() {
  const designer = useDesigner()
  const { store, saver, definitionId, design, readOnly } = designer
  const [busy, setBusy] = useState(false)
  const publishing = useDesignerState((state) => state.publishing)
  const problems = useDesignerState((state) => state.problems)
  const client = useQueryClient()
  const published = (version: number): void => {
    notifications.show({ message: `Version ${version} is published.` })
    void client.invalidateQueries({ queryKey: ['definitions'] })
    void client.invalidateQueries({ queryKey: ['definition', definitionId] })
  }
  const save = async (): Promise<string | undefined> =>
    saver === undefined || !(await saver.flush()) ? undefined : saver.etag
  const publish = async (): Promise<void> => {
    setBusy(true)
    try {
      const found = await validate(designer)
      if (found === 'unsaved') return tellUnsaved('Nothing was published')
      if (found === 'faulty') return store.setState({ drawer: 'problems' })
      if (slots.Publish !== undefined) return store.setState({ publishing: true })
      const path = `/workflow-definitions/${encodeURIComponent(definitionId)}/publish`
      const { version } = await call<{ version: number }>('POST', path, { headers: { 'if-match': saver!.etag } })
      published(version)
    } catch (error) {
      const { title, detail } = toProblem(error)
      notifications.show({ color: 'danger', title, message: detail })
    } finally {
      setBusy(false)
    }
  }
  const Dialog = slots.Publish
  return (
    <>
      <MayButton
        size="xs"
        permission="definitions:publish"
        fault={readOnly}
        leftSection={<Rocket size={14} />}
        loading={busy}
        onClick={() => void publish()}
      >
        Publish
      </MayButton>
      {publishing && Dialog !== undefined && (
        <Suspense>
          <Dialog
            definitionId={definitionId}
            document={design.toGraph()}
            problems={problems}
            save={save}
            published={published}
            close={() => store.setState({ publishing: false })}
          />
        </Suspense>
      )}
    </>
  )
}

function VersionsPanel() {
  const { store, definitionId, design } = useDesigner()
  const open = useDesignerState((state) => state.versions)
  const Panel = slots.Versions
  if (!open || Panel === undefined) return null
  return (
    <Suspense>
      <Panel
        definitionId={definitionId}
        document={design.toGraph()}
        replace={(next) => void replaceDocument(design, next)}
        close={() => store.setState({ versions: false })}
      />
    </Suspense>
  )
}
