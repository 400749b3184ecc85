import { lazy, Suspense, useMemo } from 'react'
import type { GraphBody } from '../../api/wire.ts'
import type { StepState } from '../../canvas/graph-view.tsx'
import type { ChangeLine } from './change-lines.ts'
import classes from './versions.module.css'

const GraphView = lazy(() => import('../../canvas/graph-view.tsx').then((module) => ({ default: module.GraphView })))

interface SideBySideProps {
  readonly before: { readonly title: string; readonly document: GraphBody }
  readonly after: { readonly title: string; readonly document: GraphBody }
  readonly lines: readonly ChangeLine[]
  readonly selected: string | undefined
  readonly onSelect: (step: string | undefined) => void
}

/** Both drawings, with what became of each step: removed on the left, added on the right, changed on both. */
export function SideBySide({ before, after, lines, selected, onSelect }: SideBySideProps) {
  const marks = useMemo(() => ({ before: marksOf(lines, 'removed'), after: marksOf(lines, 'added') }), [lines])
  const sides = [
    ['before', before],
    ['after', after],
  ] as const
  return (
    <div className={classes.sides}>
      {sides.map(([side, { title, document }]) => (
        <section key={side} className={classes.side} aria-label={title} data-side={side}>
          <h3>{title}</h3>
          <div className={classes.drawing}>
            <Suspense>
              <GraphView
                document={document}
                direction="DOWN"
                states={marks[side]}
                selected={selected}
                onSelect={onSelect}
              />
            </Suspense>
          </div>
        </section>
      ))}
    </div>
  )
}

function marksOf(lines: readonly ChangeLine[], only: 'added' | 'removed'): ReadonlyMap<string, StepState> {
  const marks = new Map<string, StepState>()
  const mark = (step: string | undefined, status: StepState['status'], label: string): void => {
    if (step !== undefined && !marks.has(step)) marks.set(step, { status, runs: 1, label, note: label.toLowerCase() })
  }
  for (const { kind, step } of lines) {
    if (kind === only) mark(step, kind === 'added' ? 'completed' : 'faulted', kind === 'added' ? 'Added' : 'Removed')
    if (kind === 'changed' || kind === 'renamed') mark(step, 'retrying', 'Changed')
    if (kind === 'rewired') mark(step, 'running', 'Rewired')
  }
  return marks
}
