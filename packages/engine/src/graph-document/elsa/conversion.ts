import type { ActivityCatalogue } from '../../activity/activity-type.ts'
import { MAX_ACTIVITIES } from '../../graph/checks/check-flow.ts'
import type { ElsaJson } from './elsa-json.ts'
import { NameGiver } from './elsa-names.ts'
import type { ElsaNote } from './elsa-report.ts'
import { ElsaVariables } from './elsa-variables.ts'

/** What is gathered while one Elsa document is converted. */
export class Conversion {
  readonly variables = new ElsaVariables()
  /** Our id by the id and by the name of an Elsa activity. */
  readonly activityIds = new Map<string, string>()
  readonly notes: ElsaNote[] = []
  readonly ids = NameGiver.forActivities()
  activityCount = 0
  mappedCount = 0
  readonly #catalogue: ActivityCatalogue | undefined
  readonly #missing = new Set<string>()

  constructor(catalogue: ActivityCatalogue | undefined) {
    this.#catalogue = catalogue
  }

  note(note: ElsaNote): void {
    this.notes.push(note)
  }

  /** Names first, because scripts may read the outputs of activities that come later in the document. `false`: there are too many. */
  nameAll(activity: ElsaJson): boolean {
    const open = [activity]
    for (let next = open.pop(), count = 1; next !== undefined; next = open.pop(), count += 1) {
      if (count > MAX_ACTIVITIES) return false
      for (const variable of next.get('variables').items) this.variables.add(variable)
      const inside = nestedActivities(next)
      open.push(...inside.reverse())
      this.#name(next)
    }
    return true
  }

  idOf(activity: ElsaJson): string {
    return this.activityIds.get(activity.pointer) ?? this.#name(activity)
  }

  /** Says once per type that this engine does not have it. */
  checkType(type: string, activity: ElsaJson, activityId: string): void {
    if (this.#catalogue === undefined || this.#catalogue.get(type) !== undefined || this.#missing.has(type)) return
    this.#missing.add(type)
    this.note({
      pointer: activity.pointer,
      elsaType: activity.get('type').text ?? '?',
      kind: 'missing-type',
      reason: `It is "${type}" here, and no activity of that type is registered`,
      suggestion: `Register "${type}", or replace the activity`,
      activityId,
    })
  }

  #name(activity: ElsaJson): string {
    const name = activity.get('name').text
    const elsaId = activity.get('id').text
    const id = this.ids.give(name || elsaId || 'activity', 'a')
    this.activityIds.set(activity.pointer, id)
    for (const key of [elsaId, name]) if (key && !this.activityIds.has(key)) this.activityIds.set(key, id)
    return id
  }
}

/** Every member that holds activities, in the order of the document. */
function nestedActivities(activity: ElsaJson): ElsaJson[] {
  return [
    ...activity.get('activities').items,
    ...activity.get('branches').items.filter((branch) => branch.object !== undefined),
    ...['then', 'else', 'body', 'default', 'root'].map((name) => activity.get(name)),
    ...[...activity.get('cases').items, ...activity.get('expectedStatusCodes').items].map((each) =>
      each.get('activity'),
    ),
  ].filter((each) => each.object !== undefined && each.get('type').text !== undefined)
}
