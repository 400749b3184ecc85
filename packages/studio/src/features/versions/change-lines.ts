/** A diff as lines for people: one per thing that happened. Pure. */
import type { Activity, GraphBody } from '../../api/wire.ts'
import { activitiesById } from '../../canvas/canvas-model.ts'
import type { Change, FieldChange, Verdict } from './diff.ts'

export type LineKind = 'added' | 'removed' | 'changed' | 'rewired' | 'renamed' | 'moved'

export interface ChangeLine {
  readonly key: string
  readonly kind: LineKind
  readonly title: string
  readonly detail?: string | undefined
  readonly fields?: readonly FieldChange[]
  /** Step to look at in the old and in the new drawing. */
  readonly step?: string | undefined
  readonly migration: Verdict
  readonly reason: string
}

export interface Documents {
  readonly before: GraphBody
  readonly after: GraphBody
}

export function changeLines(changes: readonly Change[], documents: Documents): readonly ChangeLine[] {
  const names = namesOf(documents)
  const connections = changes.filter((each) => each.subject === 'connection')
  const others = changes.filter((each) => each.subject !== 'connection')
  const lines = [...others.map((change) => lineOf(change, names)), ...rewired(connections, names)]
  const moved = movedSteps(documents)
  if (moved.length === 0) return lines
  const title = moved.length === 1 ? `${names(moved[0]!)} moved` : `${moved.length} steps moved`
  return [...lines, { key: 'moved', kind: 'moved', title, migration: 'safe', reason: 'Only the drawing changed.' }]
}

type NameOf = (id: string) => string

function namesOf({ before, after }: Documents): NameOf {
  const [old, now] = [activitiesById(before), activitiesById(after)]
  return (id) => now.get(id)?.name ?? old.get(id)?.name ?? id
}

function lineOf(change: Exclude<Change, { subject: 'connection' }>, names: NameOf): ChangeLine {
  const { migration, reason } = change
  const judged = { migration, reason }
  if (change.subject === 'variable') {
    const title = `Variable ${change.name}`
    return { key: `variable ${change.name}`, kind: change.change, title, fields: change.fields, ...judged }
  }
  if (change.subject !== 'activity') {
    const title = { input: 'Schema of the input', output: 'Schema of the output', workflow: 'Name or description' }
    return { key: change.subject, kind: 'changed', title: title[change.subject], fields: change.fields, ...judged }
  }
  const { id } = change
  const key = `${change.change} ${id}`
  switch (change.change) {
    case 'added':
    case 'removed':
      return { key, kind: change.change, title: names(id), detail: change.activity.type, step: id, ...judged }
    case 'renamed':
      return { key, kind: 'renamed', title: names(id), detail: `${change.previousId} is ${id}`, step: id, ...judged }
    case 'changed': {
      const detail = aspects[change.aspect] ?? change.aspect
      return {
        key: `${key} ${change.aspect}`,
        kind: 'changed',
        title: names(id),
        detail,
        fields: change.fields,
        step: id,
        ...judged,
      }
    }
  }
}

const aspects: Readonly<Record<string, string>> = {
  type: 'does something else',
  inputs: 'inputs',
  policy: 'retry, timeout and the like',
  text: 'name or description',
  parts: 'its parts',
  place: 'lies elsewhere',
}

type Connection = Extract<Change, { subject: 'connection' }>

/** What left by an outcome and now leaves it for somewhere else is one line. */
function rewired(connections: readonly Connection[], names: NameOf): readonly ChangeLine[] {
  const ways = new Map<string, { readonly gone: Connection[]; readonly come: Connection[] }>()
  for (const each of connections) {
    const key = `${each.from} ${each.outcome}`
    const way = ways.get(key) ?? { gone: [], come: [] }
    ;(each.change === 'removed' ? way.gone : way.come).push(each)
    ways.set(key, way)
  }
  return [...ways].map(([key, { gone, come }]) => {
    const all = [...gone, ...come]
    const [{ from, outcome } = { from: '', outcome: '' }] = all
    const worst =
      all.find(({ migration }) => migration === 'breaks') ??
      all.find(({ migration }) => migration !== 'safe') ??
      all[0]!
    const leads = (list: readonly Connection[]): string => list.map(({ to }) => names(to)).join(', ')
    const way = outcome === 'done' ? names(from) : `${names(from)}, when ${outcome}`
    const detail =
      gone.length === 0
        ? `now leads to ${leads(come)}`
        : come.length === 0
          ? `no longer leads to ${leads(gone)}`
          : `led to ${leads(gone)}, now to ${leads(come)}`
    return {
      key: `way ${key}`,
      kind: 'rewired',
      title: way,
      detail,
      step: from,
      migration: worst.migration,
      reason: worst.reason,
    }
  })
}

interface Placed extends Activity {
  readonly layout?: { readonly position?: { readonly x: number; readonly y: number } }
}

function movedSteps({ before, after }: Documents): readonly string[] {
  const old = activitiesById(before)
  return [...activitiesById(after)].flatMap(([id, activity]) => {
    const [was, is] = [(old.get(id) as Placed | undefined)?.layout?.position, (activity as Placed).layout?.position]
    return was !== undefined && is !== undefined && (was.x !== is.x || was.y !== is.y) ? [id] : []
  })
}
