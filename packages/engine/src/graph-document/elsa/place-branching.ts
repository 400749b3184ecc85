import type { ElsaJson } from './elsa-json.ts'
import { expressionOf, inputValue } from './elsa-values.ts'
import type { Exit } from './graph-builder.ts'
import { traits } from './place-leaf.ts'
import type { Place } from './site.ts'

export const placeIf: Place = (site, activity) => {
  const { conversion, graph, isInLoop } = site
  const id = conversion.idOf(activity)
  const condition = inputValue(conversion, activity.get('condition'), { activityId: id, isInLoop }) ?? false
  graph.add({ id, type: 'if', ...traits(activity), inputs: { condition } })
  const exits: Exit[] = []
  for (const [member, outcome] of [
    ['then', 'true'],
    ['else', 'false'],
  ] as const) {
    const way = { from: id, outcome }
    const placed = site.place({ ...site, isOutermost: false }, activity.get(member))
    if (placed.entry === undefined) exits.push(way)
    else {
      graph.connect([way], placed.entry)
      exits.push(...placed.exits)
    }
  }
  const ports = new Map([
    ['true', [{ from: id, outcome: 'true' }]],
    ['false', [{ from: id, outcome: 'false' }]],
  ])
  return { entry: id, exits, ports }
}

const DEFAULT_CASE = 'default'

export const placeSwitch: Place = (site, activity) => {
  const { conversion, graph, isInLoop } = site
  const id = conversion.idOf(activity)
  const ports = new Map<string, readonly Exit[]>()
  const exits: Exit[] = []
  const attach = (outcome: string, inner: ElsaJson): void => {
    const way = { from: id, outcome }
    ports.set(outcome.toLowerCase(), [way])
    const placed = site.place({ ...site, isOutermost: false }, inner)
    if (placed.entry === undefined) exits.push(way)
    else {
      graph.connect([way], placed.entry)
      exits.push(...placed.exits)
    }
  }
  const cases = activity.get('cases').items.map((each, position) => {
    const outcome = each.get('label').text || `case ${position + 1}`
    const given = each.get('condition')
    const read = given.get('expression').exists ? inputValue : expressionOf
    const condition = read(conversion, given, { activityId: id, isInLoop }) ?? false
    return { outcome, condition, activity: each.get('activity') }
  })
  const mode = inputValue(conversion, activity.get('mode'), { activityId: id, isInLoop })
  graph.add({
    id,
    type: 'switch',
    ...traits(activity),
    inputs: {
      cases: cases.map(({ outcome, condition }) => ({ outcome, condition })),
      ...(mode === 'MatchAny' && { mode: 'all' }),
    },
  })
  for (const each of cases) attach(each.outcome, each.activity)
  attach(DEFAULT_CASE, activity.get('default'))
  conversion.checkType('switch', activity, id)
  return { entry: id, exits, ports }
}
