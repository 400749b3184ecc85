import type { ElkPort } from 'elkjs/lib/elk-api.js'
import { elk, STEP } from '../../canvas/layout.ts'
import { bodiesOf, connectionsFrom, type DesignView, type Position, ROOT, type Step, stepsOf } from '../model/index.ts'
import { type ActivityType, outcomesOf } from '../palette/activity-types.ts'
import { draw, type Size } from './geometry.ts'
import { portX } from './port-place.ts'

const options = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.layered.spacing.nodeNodeBetweenLayers': '56',
  'elk.spacing.nodeNode': '36',
  // Long lines run straight, and beside the steps that they pass.
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.spacing.edgeNode': '24',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.padding': '[top=0,left=0,bottom=0,right=0]',
}

type Types = ReadonlyMap<string, ActivityType>

function portsOf(view: DesignView, step: Step, { width, height }: Size, types: Types): ElkPort[] {
  const used = connectionsFrom(view, step).map(({ outcome }) => outcome)
  const outcomes = outcomesOf(step, types.get(step.type), used)
  return [
    { id: `${step.key} `, x: width / 2, y: 0, width: 0, height: 0 },
    ...outcomes.map((outcome, index) => ({
      id: `${step.key} ${outcome}`,
      x: portX(index, outcomes.length, width),
      y: height,
      width: 0,
      height: 0,
    })),
  ]
}

/** A tidy place for every step, each relative to its body. Inner bodies first: their size is what the outer ones arrange. */
export async function arrange(view: DesignView, types: Types): Promise<ReadonlyMap<string, Position>> {
  const places = new Map<string, Position>()
  const program = await elk()
  const arrangeBody = async (body: string): Promise<void> => {
    const steps = stepsOf(view, body)
    for (const step of steps) for (const inner of bodiesOf(view, step.key)) await arrangeBody(inner.key)
    if (steps.length === 0) return
    const { size } = draw(view, ({ key }) => places.get(key) ?? { x: 0, y: 0 })
    const ids = new Map(steps.map((step) => [step.id, step.key]))
    const found = await program.layout({
      id: `body ${body}`,
      layoutOptions: options,
      children: steps.map((step) => ({
        id: step.key,
        ...size(step.key),
        layoutOptions: { 'elk.portConstraints': 'FIXED_POS' },
        ports: portsOf(view, step, size(step.key), types),
      })),
      edges: steps.flatMap((step) =>
        connectionsFrom(view, step)
          .filter(({ to }) => ids.has(to))
          .map((line) => ({
            id: line.key,
            sources: [`${step.key} ${line.outcome}`],
            targets: [ids.get(line.to)!].map((key) => `${key} `),
          })),
      ),
    })
    const left = Math.min(...(found.children ?? []).map(({ x = 0 }) => x))
    const top = Math.min(...(found.children ?? []).map(({ y = 0 }) => y))
    for (const { id, x = 0, y = 0 } of found.children ?? [])
      places.set(id, { x: Math.round(x - left), y: Math.round(y - top) })
  }
  await arrangeBody(ROOT)
  return places
}

/** Places for those steps that have none: of a body where some have one, under the others. */
export async function placesForUnplaced(view: DesignView, types: Types): Promise<ReadonlyMap<string, Position>> {
  const unplaced = [...view.steps.values()].filter((step) => step.position === undefined)
  if (unplaced.length === 0) return new Map()
  const tidy = await arrange(view, types)
  const bodies = new Set(unplaced.map((step) => step.body))
  const places = new Map<string, Position>()
  for (const body of bodies) {
    const steps = stepsOf(view, body)
    const placed = steps.filter((step) => step.position !== undefined)
    const { size } = draw(view, ({ key, position }) => position ?? tidy.get(key) ?? { x: 0, y: 0 })
    const bottom = Math.max(0, ...placed.map(({ key, position }) => position!.y + size(key).height + 60))
    for (const step of steps) {
      const { x, y } = tidy.get(step.key) ?? { x: 0, y: 0 }
      if (step.position === undefined) places.set(step.key, { x, y: y + (placed.length === 0 ? 0 : bottom) })
    }
  }
  return places
}

/** A free place below a step, right of whatever stands there. */
export function placeAfter(view: DesignView, key: string, where: (key: string) => Position): Position {
  const step = view.steps.get(key)!
  const { x, y } = where(key)
  const { size } = draw(view, (each) => where(each.key))
  const place = { x: x + (size(key).width - STEP.width) / 2, y: y + size(key).height + 56 }
  const others = stepsOf(view, step.body).map((each) => ({ ...where(each.key), ...size(each.key) }))
  const taken = (): boolean =>
    others.some(
      (each) =>
        place.x < each.x + each.width + 20 &&
        place.x + STEP.width + 20 > each.x &&
        place.y < each.y + each.height + 20 &&
        place.y + STEP.height + 20 > each.y,
    )
  while (taken()) place.x += STEP.width + 36
  return place
}
