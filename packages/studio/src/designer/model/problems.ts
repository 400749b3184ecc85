import type { Design } from './design.ts'
import { stepsOf } from './view.ts'

export interface DesignProblem {
  /** RFC 6901, into the document. */
  readonly pointer: string
  readonly code: string
  readonly text: string
  readonly severity: 'error' | 'warning'
}

/** A problem with the place where it can be mended. */
export interface PlacedProblem extends DesignProblem {
  /** Of the step it is about; undefined: of the workflow itself. */
  readonly step: string | undefined
  /** The input it is about. */
  readonly input: string | undefined
  /** What follows the step in the pointer, such as `retry/attempts`. */
  readonly path: string
}

/** Innermost step first: a problem inside a container is about what is inside. */
export function placeProblems(
  problems: readonly DesignProblem[],
  pointers: ReadonlyMap<string, string>,
): readonly PlacedProblem[] {
  const steps = new Map([...pointers].map(([key, pointer]) => [pointer, key]))
  return problems.map((problem) => {
    const segments = problem.pointer.split('/')
    for (let length = segments.length; length > 0; length--) {
      const step = steps.get(segments.slice(0, length).join('/'))
      if (step === undefined) continue
      const rest = segments.slice(length).map(unescaped)
      return { ...problem, step, input: rest[0] === 'inputs' ? rest[1] : undefined, path: rest.join('/') }
    }
    return { ...problem, step: undefined, input: undefined, path: segments.slice(1).map(unescaped).join('/') }
  })
}

const unescaped = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~')

/** What needs no server: told at once, and without a connection. The server's answer takes their place. */
export function localProblems(design: Design, knownTypes: ReadonlySet<string> | undefined): readonly DesignProblem[] {
  const { view } = design
  const { pointers } = design.written
  const found: DesignProblem[] = []
  if (stepsOf(view, '').length === 0)
    found.push({ pointer: '/activities', code: 'EMPTY_GRAPH', text: 'There is no step yet', severity: 'error' })
  for (const step of view.steps.values()) {
    const pointer = pointers.get(step.key)
    if (pointer === undefined) continue
    if (knownTypes !== undefined && !knownTypes.has(step.type) && !step.disabled)
      found.push({
        pointer: `${pointer}/type`,
        code: 'UNKNOWN_ACTIVITY_TYPE',
        text: `There is no activity "${step.type}" on this server`,
        severity: 'error',
      })
  }
  return found
}
