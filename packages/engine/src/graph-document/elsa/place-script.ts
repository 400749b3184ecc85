import { translateStatements } from './elsa-script.ts'
import { inputValue, scriptNames } from './elsa-values.ts'
import { keepResult, placeUnknown, traits } from './place-leaf.ts'
import type { Place } from './site.ts'

/** Statements of JavaScript. They are code of the document, so they cannot be computed. */
export const placeScript: Place = ({ conversion, graph, isInLoop }, activity) => {
  const id = conversion.idOf(activity)
  const asker = { activityId: id, isInLoop }
  const expression = activity.get('script').get('expression')
  const isCode = expression.get('type').text === 'JavaScript'
  const source = isCode ? expression.get('value').value : inputValue(conversion, activity.get('script'), asker)
  const code = typeof source === 'string' ? translateStatements(source, scriptNames(conversion, asker)) : undefined
  if (code === undefined) {
    const reason = 'The script uses what only Elsa has, or does not stand in the document'
    return placeUnknown(conversion, graph, activity, isInLoop, reason)
  }
  graph.add({ id, type: 'script', ...traits(activity), inputs: { code } })
  conversion.mappedCount += 1
  conversion.checkType('script', activity, id)
  if (!/\breturn\b/.test(code))
    conversion.note({
      pointer: activity.pointer,
      elsaType: activity.get('type').text ?? '?',
      kind: 'partly',
      reason: 'Its output is what it returns, not the value of its last statement',
      suggestion: 'Write "return" where its output is used',
      activityId: id,
    })
  return keepResult(conversion, graph, activity.get('result'), id)
}
