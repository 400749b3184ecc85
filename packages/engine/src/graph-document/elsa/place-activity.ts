import { inputValue } from './elsa-values.ts'
import { NOTHING } from './graph-builder.ts'
import { leafMappings, triggerMappings } from './leaf-mappings.ts'
import { placeIf, placeSwitch } from './place-branching.ts'
import { placeFlowchart } from './place-flowchart.ts'
import { placeLeaf, placeUnknown, traits } from './place-leaf.ts'
import { placeLoop, placeParallel } from './place-loops.ts'
import { placeScript } from './place-script.ts'
import { placeSequence } from './place-sequence.ts'
import { canStart, type Place, shortType } from './site.ts'

/** Puts an Elsa activity, with all inside it, into a graph. */
export const placeActivity: Place = (site, activity) => {
  if (activity.object === undefined) return NOTHING
  const type = shortType(activity)
  const place = containers.get(type)
  site.conversion.activityCount += 1
  if (place !== undefined) {
    site.conversion.mappedCount += 1
    return place(site, activity)
  }
  if (type === 'RunJavaScript') return placeScript(site, activity)
  const leaf = leafMappings.get(type)
  if (leaf !== undefined) return placeLeaf(site.conversion, site.graph, activity, leaf, site.isInLoop)
  const trigger = triggerMappings.get(type)
  if (trigger === undefined) return placeUnknown(site.conversion, site.graph, activity, site.isInLoop)
  const starts = canStart(activity) && site.isOutermost
  const mapping = starts ? trigger.trigger : trigger.inFlow
  if (mapping !== undefined) return placeLeaf(site.conversion, site.graph, activity, mapping, site.isInLoop)
  const reason = starts
    ? 'A workflow cannot be started by it: use a schedule'
    : 'Only a workflow can be started by it, it cannot wait inside of one'
  return placeUnknown(site.conversion, site.graph, activity, site.isInLoop, reason)
}

const placeSetVariable: Place = ({ conversion, graph, isInLoop }, activity) => {
  const id = conversion.idOf(activity)
  const reference = activity.get('variable')
  const name = conversion.variables.find(
    reference.get('memoryReference').exists ? reference.get('memoryReference') : reference,
  )
  const value = inputValue(conversion, activity.get('value'), { activityId: id, isInLoop }) ?? null
  graph.add({
    id,
    type: 'set-variable',
    ...traits(activity),
    inputs: { name: name ?? reference.get('name').text ?? '', value },
  })
  if (name === undefined)
    conversion.note({
      pointer: reference.pointer,
      elsaType: 'Elsa.SetVariable',
      kind: 'not-mapped',
      reason: 'The variable is not declared in the document',
      suggestion: 'Declare it under "variables"',
      activityId: id,
    })
  return { entry: id, exits: [{ from: id }] }
}

const containers: ReadonlyMap<string, Place> = new Map<string, Place>([
  ['Sequence', placeSequence],
  ['Flowchart', placeFlowchart],
  ['If', placeIf],
  ['FlowDecision', placeIf],
  ['Switch', placeSwitch],
  ['FlowSwitch', placeSwitch],
  ['While', placeLoop],
  ['For', placeLoop],
  ['ForEach', placeLoop],
  ['ParallelForEach', placeLoop],
  ['Fork', placeParallel('branches')],
  ['Parallel', placeParallel('activities')],
  ['SetVariable', placeSetVariable],
  ['Start', () => NOTHING],
  ['End', () => NOTHING],
  ['FlowFork', () => NOTHING],
  ['FlowJoin', () => NOTHING],
  ['Join', () => NOTHING],
])
