import { partName } from '../../canvas/part-name.ts'
import { bodiesOf, type DesignView, inFlowOrder, ROOT, type Step, stepsOf } from '../model/index.ts'

export interface OutlineRow {
  readonly id: string
  /** Undefined: a part of the step above, such as `catch`. */
  readonly step: Step | undefined
  readonly label: string
  readonly level: number
  /** Of the row that holds it. */
  readonly parent: string | undefined
  readonly position: number
  readonly count: number
  readonly opens: boolean
}

/** The flow as a list, in the order it runs, with what is inside each step below it. */
export function outlineRows(view: DesignView, folded: ReadonlySet<string>): readonly OutlineRow[] {
  const rows: OutlineRow[] = []
  const addSteps = (body: string, level: number, parent: string | undefined): void => {
    const steps = inFlowOrder(view, stepsOf(view, body))
    steps.forEach((step, index) => {
      const bodies = bodiesOf(view, step.key)
      const opens = bodies.length > 0
      rows.push({
        id: step.key,
        step,
        label: step.name,
        level,
        parent,
        position: index + 1,
        count: steps.length,
        opens,
      })
      if (!opens || folded.has(step.key)) return
      const [only] = bodies
      if (bodies.length === 1 && only!.slot === 'body') return addSteps(only!.key, level + 1, step.key)
      bodies.forEach(({ key, slot, at }, place) => {
        const label = partName(step.type, slot, at)
        rows.push({
          ...{ id: key, step: undefined, label, level: level + 1, parent: step.key },
          ...{ position: place + 1, count: bodies.length, opens: true },
        })
        if (!folded.has(key)) addSteps(key, level + 2, key)
      })
    })
  }
  addSteps(ROOT, 1, undefined)
  return rows
}
