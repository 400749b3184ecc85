/** A test of one step alone: every other step that reaches outside or waits answers without being executed. Pure. */
import type { Activity, GraphBody } from '../../api/wire.ts'
import { partsOf } from '../../canvas/canvas-model.ts'
import { upstreamOf } from '../../editor/upstream.ts'
import type { Pin, Pins } from './pins.ts'

export interface Mocked {
  readonly id: string
  readonly name: string
  /** Where its answer comes from: somebody pinned it, it is that of the last run, or there is none and it is null. */
  readonly by: 'pin' | 'run' | 'nothing'
}

export interface OnlyThis {
  readonly pins: Pins
  readonly mocked: readonly Mocked[]
}

export function onlyThis(given: {
  readonly document: GraphBody
  readonly step: string
  /** Whether a step of this type does or waits for something outside: others are worked out as always. */
  readonly reachesOut: (type: string) => boolean
  readonly pins: Pins
  readonly answered: ReadonlyMap<string, Pin>
}): OnlyThis {
  const { document, step, reachesOut, pins, answered } = given
  const before = new Set(upstreamOf(document, step).map(({ id }) => id))
  const mocked: Mocked[] = []
  const found: Record<string, Pin> = {}
  const visit = (body: GraphBody): void => {
    for (const activity of body.activities) {
      if (activity.id === step) continue
      for (const [, part] of partsOf(activity)) visit(part)
      if (!reachesOut(activity.type)) continue
      const { id, name = id } = activity
      const [by, pin] = pins[id] ? (['pin', pins[id]] as const) : answerOf(answered.get(id))
      const outcome = pin.outcome ?? (by === 'nothing' ? wayTo(body, activity, step, before) : undefined)
      found[id] = { output: pin.output, ...(outcome === undefined ? {} : { outcome }) }
      mocked.push({ id, name, by })
    }
  }
  visit(document)
  return { pins: found, mocked }
}

const answerOf = (answer: Pin | undefined): readonly ['run' | 'nothing', Pin] =>
  answer === undefined ? ['nothing', { output: null }] : ['run', answer]

/** A step that never answered leaves by the way that leads to the one that is tested. */
function wayTo(
  { connections = [] }: GraphBody,
  { id }: Activity,
  step: string,
  before: ReadonlySet<string>,
): string | undefined {
  const way = connections.find(({ from, to }) => from === id && (to === step || before.has(to)))
  return way?.outcome === 'done' ? undefined : way?.outcome
}
