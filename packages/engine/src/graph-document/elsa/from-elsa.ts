import type { Json } from '@lockstep/base'
import type { ActivityCatalogue } from '../../activity/activity-type.ts'
import { MAX_ACTIVITIES } from '../../graph/checks/check-flow.ts'
import type { GraphDocument } from '../../graph/document.ts'
import { checkValue } from '../text/check-value.ts'
import { Conversion } from './conversion.ts'
import { ElsaJson } from './elsa-json.ts'
import { toSlug } from './elsa-names.ts'
import type { ElsaReport } from './elsa-report.ts'
import { schemaOf } from './elsa-variables.ts'
import { GraphBuilder } from './graph-builder.ts'
import { placeActivity } from './place-activity.ts'
import { startedGraph } from './started-graph.ts'

export type { ElsaNote, ElsaReport } from './elsa-report.ts'

export interface ConvertedElsa {
  /** Always of the right shape. What could not be mapped is in it as something that validation refuses. */
  readonly document: GraphDocument
  readonly report: ElsaReport
}

/**
 * A workflow definition of Elsa 3, as its API and designer export it, as a graph document, with a report of what did not
 * come over. Pure. With a catalogue the report also says which types this engine does not have.
 */
export function fromElsa(json: Json, catalogue?: ActivityCatalogue): ConvertedElsa {
  const conversion = new Conversion(catalogue)
  const unsafe = checkValue(json)
  const elsa = new ElsaJson(unsafe === undefined ? json : null, '')
  for (const variable of elsa.get('variables').items) conversion.variables.add(variable)
  const root = elsa.get('root')
  const graph = new GraphBuilder()
  const reason = unsafe?.text ?? refusalOf(root, conversion)
  let entry: string | undefined
  if (reason === undefined) {
    entry = placeActivity({ conversion, graph, isInLoop: false, isOutermost: true, place: placeActivity }, root).entry
  } else {
    const suggestion = 'Export the workflow as JSON from Elsa Studio, version 3 or newer'
    const pointer = unsafe?.pointer ?? root.pointer
    conversion.note({ pointer, elsaType: 'WorkflowDefinition', kind: 'not-mapped', reason, suggestion })
  }
  const name = elsa.get('name').text
  const description = elsa.get('description').text
  const input = schemaOf(elsa.get('inputs').items)
  const output = schemaOf(elsa.get('outputs').items)
  const variables = conversion.variables.documents
  const document: GraphDocument = {
    id: toSlug(elsa.get('definitionId').text ?? name ?? '', 'imported-workflow'),
    ...(name && { name: name.slice(0, 200) }),
    ...(description && { description }),
    ...(input && { input }),
    ...(output && { output }),
    ...(Object.keys(variables).length > 0 && { variables }),
    ...startedGraph({ conversion, graph }, entry),
  }
  return { document, report: reportOf(conversion) }
}

/** Why nothing of it can be taken. */
function refusalOf(root: ElsaJson, conversion: Conversion): string | undefined {
  if (root.get('type').text === undefined) return 'This is no workflow definition of Elsa 3: it has no root activity'
  return conversion.nameAll(root) ? undefined : `It has more than ${MAX_ACTIVITIES} activities: split it in Elsa first`
}

function reportOf({ notes, activityCount, mappedCount }: Conversion): ElsaReport {
  return { complete: notes.length === 0, activityCount, mappedCount, notes }
}
