import { ChevronDown, ChevronRight } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { StepIcon } from '../../canvas/step-icon.tsx'
import { focusInspector } from '../canvas/focus.ts'
import { selectOnly, useDesigner, useDesignerState, useSelectedStep, useView } from '../state/designer-state.ts'
import classes from './outline.module.css'
import { type OutlineRow, outlineRows } from './outline-rows.ts'

/** The same workflow as a tree: for those who do not see the drawing, and the quick way round a large one. */
export function Outline() {
  const designer = useDesigner()
  const view = useView()
  const selected = useSelectedStep()
  const problems = useDesignerState((state) => state.problems)
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const rows = useMemo(() => outlineRows(view, folded), [view, folded])
  const [part, setPart] = useState<string>()
  const tree = useRef<HTMLDivElement>(null)
  const current = rows.find(({ id }) => id === (part ?? selected)) ?? rows[0]
  useEffect(() => {
    tree.current?.querySelector('[tabindex="0"]')?.scrollIntoView({ block: 'nearest' })
  })
  const go = (row: OutlineRow | undefined): void => {
    if (row === undefined) return
    // At once: a focus that comes a frame later would take it from wherever the next key has led.
    flushSync(() => {
      setPart(row.step === undefined ? row.id : undefined)
      if (row.step !== undefined) selectOnly(designer, [row.id])
    })
    tree.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(row.id)}"]`)?.focus()
  }
  const fold = (id: string, away: boolean): void => {
    const next = new Set(folded)
    if (away) next.add(id)
    else next.delete(id)
    setFolded(next)
  }
  const onKey = (event: React.KeyboardEvent): void => {
    const index = rows.findIndex(({ id }) => id === current?.id)
    if (current === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const open = current.opens && !folded.has(current.id)
    if (event.key === 'ArrowDown') go(rows[index + 1])
    else if (event.key === 'ArrowUp') go(rows[index - 1])
    else if (event.key === 'Home') go(rows[0])
    else if (event.key === 'End') go(rows.at(-1))
    else if (event.key === 'ArrowRight' && current.opens) open ? go(rows[index + 1]) : fold(current.id, false)
    else if (event.key === 'ArrowLeft') open ? fold(current.id, true) : go(rows.find(({ id }) => id === current.parent))
    else if (event.key === 'Enter' && current.step !== undefined) focusInspector(designer)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  if (rows.length === 0) return <p className={`muted ${classes.empty}`}>No steps yet.</p>
  return (
    <div ref={tree} role="tree" aria-label="Steps in the order they run" className={classes.tree}>
      {rows.map((row) => (
        <div
          key={row.id}
          role="treeitem"
          data-row={row.id}
          aria-level={row.level}
          aria-posinset={row.position}
          aria-setsize={row.count}
          aria-selected={row.step !== undefined && row.id === selected}
          {...(row.opens ? { 'aria-expanded': !folded.has(row.id) } : {})}
          tabIndex={row.id === current?.id ? 0 : -1}
          className={classes.row}
          style={{ paddingLeft: 8 + (row.level - 1) * 14 }}
          onClick={() => go(row)}
          onKeyDown={onKey}
        >
          <Row
            row={row}
            folded={folded.has(row.id)}
            fold={() => fold(row.id, !folded.has(row.id))}
            faulty={problems.some(({ step, severity }) => step === row.id && severity === 'error')}
          />
        </div>
      ))}
    </div>
  )
}

function Row(props: {
  readonly row: OutlineRow
  readonly folded: boolean
  readonly fold: () => void
  readonly faulty: boolean
}) {
  const { row, folded, fold, faulty } = props
  const Chevron = folded ? ChevronRight : ChevronDown
  return (
    <>
      {row.opens ? (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the arrows of the row do the same
        // biome-ignore lint/a11y/noStaticElementInteractions: only a larger target for the pointer
        <span
          className={classes.chevron}
          onClick={(event) => {
            event.stopPropagation()
            fold()
          }}
        >
          <Chevron size={14} aria-hidden />
        </span>
      ) : (
        <span className={classes.chevron} />
      )}
      {row.step !== undefined && <StepIcon type={row.step.type} size={14} />}
      <span className={row.step === undefined ? 'muted small' : 'clip'} data-disabled={row.step?.disabled === true}>
        {row.label}
      </span>
      {faulty && <span className={classes.faulty}>Error</span>}
    </>
  )
}
