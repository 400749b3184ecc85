import { isJsonObject, type Json, type JsonObject } from '@lockstep/base'
import { isExpressionValue } from '../../graph/input-template.ts'
import { setMember } from '../../graph/own-member.ts'
import type { Conversion } from './conversion.ts'
import type { ElsaJson } from './elsa-json.ts'
import { memberOf } from './elsa-script.ts'
import { type Asker, inputValue } from './elsa-values.ts'
import type { Fragment, GraphBuilder } from './graph-builder.ts'
import type { LeafMapping } from './leaf-mappings.ts'

/** What every activity keeps, whatever it becomes. */
export function traits(activity: ElsaJson): { readonly name?: string; readonly layout?: Json } {
  const name = activity.get('metadata').get('displayText').text
  const { value: position } = activity.get('metadata').get('designer').get('position')
  return {
    ...(name && { name: name.slice(0, 200) }),
    ...(isJsonObject(position) && { layout: { position } }),
  }
}

export function placeLeaf(
  conversion: Conversion,
  graph: GraphBuilder,
  activity: ElsaJson,
  mapping: LeafMapping,
  isInLoop: boolean,
): Fragment {
  const id = conversion.idOf(activity)
  const asker: Asker = { activityId: id, isInLoop }
  const inputs: Record<string, Json> = {}
  for (const { from, to, convert, otherwise, literal } of mapping.inputs) {
    const value = inputValue(conversion, activity.get(from), asker) ?? otherwise
    if (value === undefined) continue
    if (literal && isExpressionValue(value)) noteExpression(conversion, activity.get(from), mapping, to, id)
    const ours = convert === undefined || isExpressionValue(value) ? value : convert(value)
    if (ours !== undefined) inputs[to] = ours
  }
  graph.add({ id, type: mapping.type, ...traits(activity), ...(Object.keys(inputs).length > 0 && { inputs }) })
  conversion.mappedCount += 1
  conversion.checkType(mapping.type, activity, id)
  noteLosses(conversion, activity, mapping, id)
  const exits = mapping.type === 'finish' || mapping.type === 'break' || mapping.type === 'fault' ? [] : [{ from: id }]
  if (mapping.result === undefined || exits.length === 0) return { entry: id, exits }
  return keepResult(conversion, graph, activity.get(mapping.result), id)
}

/** Elsa writes a result into a variable by itself; here a step does. */
export function keepResult(conversion: Conversion, graph: GraphBuilder, result: ElsaJson, id: string): Fragment {
  const variable = conversion.variables.find(result.get('memoryReference'))
  if (variable === undefined) return { entry: id, exits: [{ from: id }] }
  const keep = conversion.ids.give(`${id}_result`, 'a')
  graph.add({
    id: keep,
    type: 'set-variable',
    inputs: { name: variable, value: { $expr: `${memberOf('steps', id)}.output` } },
  })
  graph.connect([{ from: id }], keep)
  return { entry: id, exits: [{ from: keep }] }
}

function noteLosses(
  conversion: Conversion,
  activity: ElsaJson,
  { lost = [], difference, type }: LeafMapping,
  id: string,
): void {
  const elsaType = activity.get('type').text ?? '?'
  const found = lost.filter((name) => isSet(activity.get(name)))
  if (found.length > 0) {
    conversion.note({
      pointer: activity.pointer,
      elsaType,
      kind: 'partly',
      reason: `"${type}" has no counterpart for ${found.join(', ')}`,
      suggestion: 'Set what is needed in the designer; outputs are read as steps.<id>.output',
      activityId: id,
    })
  }
  if (difference !== undefined) {
    conversion.note({
      pointer: activity.pointer,
      elsaType,
      kind: 'partly',
      reason: difference,
      suggestion: 'Check that this is meant',
      activityId: id,
    })
  }
}

function noteExpression(
  conversion: Conversion,
  place: ElsaJson,
  { type }: LeafMapping,
  name: string,
  activityId: string,
): void {
  conversion.note({
    pointer: place.pointer,
    elsaType: 'Expression',
    kind: 'not-mapped',
    reason: `"${name}" of "${type}" cannot be an expression`,
    suggestion: 'Write its value into the document',
    activityId,
  })
}

/** Elsa writes every member out; most of them say nothing. */
function isSet(member: ElsaJson): boolean {
  const { value } = member
  if (value === undefined || value === null || value === false || value === '') return false
  if (Array.isArray(value)) return value.length > 0
  if (!isJsonObject(value)) return true
  const expression = member.get('expression')
  if (!expression.exists) return member.get('memoryReference').get('id').text !== undefined
  const inner = expression.text ?? expression.get('value').value
  return !(
    inner === undefined ||
    inner === null ||
    inner === '' ||
    inner === false ||
    inner === 'false' ||
    (Array.isArray(inner) && inner.length === 0)
  )
}

/** A type that nobody has: validation refuses it, so the workflow cannot be published before somebody decides. */
export function placeUnknown(
  conversion: Conversion,
  graph: GraphBuilder,
  activity: ElsaJson,
  isInLoop: boolean,
  reason = 'It has no counterpart',
): Fragment {
  const id = conversion.idOf(activity)
  const elsaType = activity.get('type').text ?? '?'
  const type = `elsa-${elsaType
    .replace(/^Elsa\./, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase()}`
  conversion.note({
    pointer: activity.pointer,
    elsaType,
    kind: 'not-mapped',
    reason,
    suggestion: `Replace "${id}", or register an activity of type "${type}"`,
    activityId: id,
  })
  const inputs: Record<string, Json> = {}
  for (const [name, value] of Object.entries(activity.object as JsonObject)) {
    if (!isJsonObject(value) || !('expression' in value)) continue
    const converted = inputValue(conversion, activity.get(name), { activityId: id, isInLoop })
    if (converted !== undefined) setMember(inputs, name, converted)
  }
  graph.add({ id, type, ...traits(activity), ...(Object.keys(inputs).length > 0 && { inputs }) })
  return { entry: id, exits: [{ from: id }] }
}
