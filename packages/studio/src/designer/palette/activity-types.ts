import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { isObject, type Json, type JsonObject } from '../model/json.ts'
import type { Slot, Step } from '../model/view.ts'

/** What can be put on the canvas, as the server describes it. */
export interface ActivityType {
  readonly type: string
  readonly kind: 'control' | 'container' | 'wait' | 'action' | 'trigger'
  readonly title: string
  readonly description: string
  readonly category?: string
  /** Name of an icon, or an image as `data:image/svg+xml;base64,…`. */
  readonly icon?: string
  /** Markdown. */
  readonly docs?: string
  readonly inputs: JsonObject
  readonly literalInputs?: readonly string[]
  readonly output?: JsonObject
  readonly outcomes: readonly string[] | 'any'
  readonly outcomesFrom?: 'cases' | 'outcomes'
  readonly script?: string
  /** Absent where the engine itself is its code. */
  readonly runs?: 'inline' | 'effect' | 'transaction'
  readonly jump?: string
  readonly bodies?: readonly { readonly name: Slot; readonly required: boolean }[]
}

export const activityTypesQuery = () =>
  queryOptions({
    queryKey: ['activity-types'],
    queryFn: async ({ signal }) => {
      const { items } = await call<{ items: readonly ActivityType[] }>('GET', '/activity-types', { signal })
      return new Map(items.map((type) => [type.type, type])) as ReadonlyMap<string, ActivityType>
    },
    staleTime: 5_000,
    networkMode: 'always',
    // The same answer is the same catalogue: nothing is drawn anew for it.
    structuralSharing: (before, now) => (sameTypes(before, now) ? before : now),
  })

const sameTypes = (before: unknown, now: unknown): boolean =>
  before instanceof Map && now instanceof Map && JSON.stringify([...before]) === JSON.stringify([...now])

/** The ways out of a step: those of its type, those its inputs name, and any that a connection uses already. */
export function outcomesOf(
  step: Step,
  type: ActivityType | undefined,
  used: readonly string[] = [],
): readonly string[] {
  const named = type?.outcomesFrom === undefined ? [] : namesIn(step.inputs[type.outcomesFrom])
  const own = type === undefined || type.outcomes === 'any' ? ['done'] : type.outcomes
  const base = type?.outcomesFrom === 'outcomes' && named.length > 0 ? named : [...named, ...own]
  const failed = step.fields.onError === 'outcome' ? ['failed'] : []
  return [...new Set([...(type?.jump === undefined ? base : []), ...failed, ...used])]
}

/** Whether its code runs where secrets are read: what it was given is written down nowhere. */
export const takesSecrets = (type: ActivityType | undefined): boolean =>
  type?.runs === 'effect' || type?.runs === 'transaction'

/** Other names than these can be chosen by its code. */
export const choosesOutcome = (type: ActivityType | undefined): boolean => type === undefined || type.outcomes === 'any'

function namesIn(value: Json | undefined): readonly string[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((each) => {
    const name = isObject(each) ? each.outcome : each
    return typeof name === 'string' && name !== '' ? [name] : []
  })
}

const SHELVES = ['Triggers', 'Control flow', 'Waiting', 'Data', 'Workflows', 'Outside']

export interface Shelf {
  readonly name: string
  readonly types: readonly ActivityType[]
}

/** By category, the usual ones first. `text` is looked for in titles, names and descriptions. */
export function shelvesOf(types: Iterable<ActivityType>, text: string): readonly Shelf[] {
  const shelves = new Map<string, ActivityType[]>()
  for (const type of types) {
    if (score(type, text) === 0) continue
    const name = type.category ?? 'Your own'
    shelves.set(name, [...(shelves.get(name) ?? []), type])
  }
  const place = (name: string): number => (SHELVES.includes(name) ? SHELVES.indexOf(name) : SHELVES.length)
  return [...shelves]
    .sort(([a], [b]) => place(a) - place(b) || (a < b ? -1 : 1))
    .map(([name, found]) => ({ name, types: found }))
}

/** Best first; of those that fit alike, what was used lately. */
export function matching(
  types: Iterable<ActivityType>,
  text: string,
  recent: readonly string[] = [],
): readonly ActivityType[] {
  const age = ({ type }: ActivityType): number => (recent.includes(type) ? recent.indexOf(type) : recent.length)
  return [...types]
    .map((type) => ({ type, points: score(type, text) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points || age(a.type) - age(b.type) || (a.type.title < b.type.title ? -1 : 1))
    .map(({ type }) => type)
}

function score({ type, title, description }: ActivityType, text: string): number {
  const asked = text.trim().toLowerCase()
  if (asked === '') return 1
  const names = [type, title.toLowerCase()]
  if (names.includes(asked)) return 6
  if (names.some((name) => name.startsWith(asked))) return 5
  if (names.some((name) => name.split(/[\s-]/).some((word) => word.startsWith(asked)))) return 4
  if (names.some((name) => name.includes(asked))) return 3
  if (description.toLowerCase().includes(asked)) return 2
  return names.some((name) => inThisOrder(name, asked)) ? 1 : 0
}

function inThisOrder(name: string, letters: string): boolean {
  let from = 0
  for (const letter of letters) {
    from = name.indexOf(letter, from) + 1
    if (from === 0) return false
  }
  return true
}
