import { EditorView } from '@codemirror/view'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { GraphDocument } from '../api/wire.ts'
import classes from './data-pane.module.css'
import { usePickedRuns } from './past-runs.ts'
import { PickRun } from './pick-run.tsx'
import { type ScopeRow, scopeRows } from './scope-rows.ts'
import { useScope } from './use-scope.ts'
import { REFERENCE } from './with-reference.ts'

export interface DataPaneProps {
  readonly definitionId: string
  readonly document: object
  readonly step: string
  readonly readOnly: boolean
  /** Id of the editor in which somebody wrote last, if that is one. */
  readonly into: () => string | undefined
  /** What was clicked, or chosen by Enter, where there is no such editor. What is dragged goes to where it is dropped. */
  readonly pick: (path: string) => void
}

/** What the step can name, with what it was in a past run: to be dragged into a field, or put where somebody writes. */
export function DataPane({ definitionId, document, step, readOnly, into, pick }: DataPaneProps) {
  const { shape, runs, picked, past } = useScope(definitionId, document as GraphDocument, step)
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const [current, setCurrent] = useState<string>()
  const tree = useRef<HTMLDivElement>(null)
  const rows = useMemo(() => scopeRows(shape, past?.scope, toggled), [shape, past, toggled])
  const active = rows.find(({ path }) => path === current) ?? rows[0]
  const toggle = (path: string): void => {
    const next = new Set(toggled)
    if (!next.delete(path)) next.add(path)
    setToggled(next)
  }
  const go = (row: ScopeRow | undefined): void => {
    if (row === undefined) return
    setCurrent(row.path)
    tree.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(row.path)}"]`)?.focus()
  }
  const take = (row: ScopeRow): void => {
    if (row.isHeading || readOnly) toggle(row.path)
    else if (!insertInto(into(), row.path)) pick(row.path)
  }
  const onKey = (event: React.KeyboardEvent): void => {
    if (active === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const index = rows.indexOf(active)
    if (event.key === 'ArrowDown') go(rows[index + 1])
    else if (event.key === 'ArrowUp') go(rows[index - 1])
    else if (event.key === 'ArrowRight' && active.opens) active.isOpen ? go(rows[index + 1]) : toggle(active.path)
    else if (event.key === 'ArrowLeft' && active.isOpen) toggle(active.path)
    else if (event.key === 'ArrowLeft') go(rows.slice(0, index).findLast(({ level }) => level < active.level))
    else if (event.key === 'Enter' || event.key === ' ') take(active)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className={classes.pane} data-testid="data-pane">
      {picked === undefined ? (
        <p className="small muted">Types only: run the workflow once, or test it, to see values.</p>
      ) : (
        <PickRun
          runs={runs}
          picked={picked}
          pick={(instanceId) => usePickedRuns.getState().pick(definitionId, instanceId)}
        />
      )}
      <div ref={tree} role="tree" aria-label="Data that expressions can name here" className={classes.tree}>
        {rows.map((row) => (
          <div
            key={row.path}
            role="treeitem"
            data-path={row.path}
            aria-level={row.level + 1}
            aria-selected={false}
            {...(row.opens ? { 'aria-expanded': row.isOpen } : {})}
            tabIndex={row.path === active?.path ? 0 : -1}
            title={row.isHeading ? undefined : row.path}
            className={classes.row}
            style={{ paddingLeft: 4 + row.level * 14 }}
            draggable={!row.isHeading && !readOnly}
            onDragStart={(event) => {
              event.dataTransfer.setData(REFERENCE, row.path)
              event.dataTransfer.setData('text/plain', row.path)
              event.dataTransfer.effectAllowed = 'copy'
            }}
            // What is written in keeps its cursor.
            onMouseDown={(event) => event.detail > 1 && event.preventDefault()}
            onFocus={() => setCurrent(row.path)}
            onClick={() => take(row)}
            onKeyDown={onKey}
          >
            <Chevron row={row} toggle={() => toggle(row.path)} />
            <span className={row.isHeading ? 'small muted' : classes.name}>{row.name}</span>
            <span className={`clip ${row.isValue ? classes.value : 'small muted'}`}>{row.text}</span>
          </div>
        ))}
      </div>
    </div>
  )
}

function Chevron({ row, toggle }: { readonly row: ScopeRow; readonly toggle: () => void }) {
  if (!row.opens) return <span className={classes.chevron} />
  const Icon = row.isOpen ? ChevronDown : ChevronRight
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the arrows of the row do the same
    // biome-ignore lint/a11y/noStaticElementInteractions: only a target for the pointer
    <span
      className={classes.chevron}
      onClick={(event) => {
        event.stopPropagation()
        toggle()
      }}
    >
      <Icon size={14} aria-hidden />
    </span>
  )
}

/** Puts it where somebody writes, in the place of what is selected there. False: no editor has this id. */
function insertInto(id: string | undefined, path: string): boolean {
  const place = id === undefined ? null : document.getElementById(id)
  const editor = place === null ? null : EditorView.findFromDOM(place)
  if (editor === null || editor.state.readOnly) return false
  editor.dispatch(editor.state.replaceSelection(path), { userEvent: 'input.paste' })
  editor.focus()
  return true
}
