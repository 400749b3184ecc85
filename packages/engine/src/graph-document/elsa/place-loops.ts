import type { Json } from '@lockstep/base'
import type { GraphBody } from '../../graph/document.ts'
import type { ElsaJson } from './elsa-json.ts'
import { inputValue } from './elsa-values.ts'
import { type Fragment, GraphBuilder, NOTHING } from './graph-builder.ts'
import { traits } from './place-leaf.ts'
import { type Place, type Site, shortType } from './site.ts'
import { startedGraph } from './started-graph.ts'

/** A nested graph; always there, even when it is empty. */
function bodyOf(site: Site, activity: ElsaJson, isLoop: boolean, first?: (graph: GraphBuilder) => Fragment): GraphBody {
  const graph = new GraphBuilder()
  const before = first?.(graph) ?? NOTHING
  const inner = { ...site, graph, isInLoop: site.isInLoop || isLoop, isOutermost: false }
  const { entry } = site.place(inner, activity)
  if (entry !== undefined) graph.connect(before.exits, entry)
  return startedGraph(inner, before.entry ?? entry)
}

const LOOPS = {
  While: { type: 'while', inputs: ['condition'] },
  For: { type: 'for', inputs: ['start', 'end', 'step'], exact: { outerBoundInclusive: 'inclusive' } },
  ForEach: { type: 'for-each', inputs: ['items'] },
  ParallelForEach: { type: 'for-each', inputs: ['items'], extra: { concurrency: 10_000 } },
} as const

export const placeLoop: Place = (site, activity) => {
  const { conversion, graph, isInLoop } = site
  const id = conversion.idOf(activity)
  const loop: {
    readonly type: string
    readonly inputs: readonly string[]
    readonly extra?: Readonly<Record<string, Json>>
    /** Under another name. */
    readonly exact?: Readonly<Record<string, string>>
  } = LOOPS[shortType(activity) as keyof typeof LOOPS]
  const inputs: Record<string, Json> = {}
  for (const name of loop.inputs) {
    const value = inputValue(conversion, activity.get(name), { activityId: id, isInLoop })
    if (value !== undefined) inputs[name] = value
  }
  for (const [theirs, ours] of Object.entries(loop.exact ?? {})) {
    const value = inputValue(conversion, activity.get(theirs), { activityId: id, isInLoop })
    // It is the default on both sides.
    if (value !== undefined && value !== true) inputs[ours] = value
  }
  const variable = conversion.variables.find(activity.get('currentValue').get('memoryReference'))
  const keepItem = (body: GraphBuilder): Fragment => {
    const keep = conversion.ids.give(`${id}_current`, 'a')
    body.add({ id: keep, type: 'set-variable', inputs: { name: variable!, value: { $expr: 'item' } } })
    return { entry: keep, exits: [{ from: keep }] }
  }
  const hasItem = loop.type !== 'while'
  const body = bodyOf(site, activity.get('body'), hasItem, hasItem && variable !== undefined ? keepItem : undefined)
  graph.add({ id, type: loop.type, ...traits(activity), inputs: { ...inputs, ...loop.extra }, body })
  conversion.checkType(loop.type, activity, id)
  return { entry: id, exits: [{ from: id }] }
}

export const placeParallel =
  (member: 'branches' | 'activities'): Place =>
  (site, activity) => {
    const { conversion, graph, isInLoop } = site
    const id = conversion.idOf(activity)
    const branches = activity.get(member).items.map((branch) => bodyOf(site, branch, false))
    const mode = inputValue(conversion, activity.get('joinMode'), { activityId: id, isInLoop })
    graph.add({
      id,
      type: 'parallel',
      ...traits(activity),
      ...(mode === 'WaitAny' && { inputs: { join: 'any' } }),
      branches,
    })
    return { entry: id, exits: [{ from: id }] }
  }
