import type * as Y from 'yjs'
import { put, setOrDelete } from '../model/entries.ts'
import { type Design, type Json, type JsonObject, type RemovedSteps, takeSteps } from '../model/index.ts'
import { type Entry, FIELD, MARK, type Parts, partsOf } from '../model/parts.ts'
import { Reader, readGraph } from '../model/read-graph.ts'

const MAPS = ['bodies', 'steps', 'connections', 'notes'] as const
const PLACE = 'at'
const LAYOUT = `${FIELD}layout`

export interface Joined {
  /** Fields that both changed: ours stays. Where a step stands is not counted. */
  readonly ours: number
  /** Steps that they removed, as they were here. */
  readonly removed: RemovedSteps
  /** Keys of those that had been changed here. */
  readonly changedHere: ReadonlySet<string>
}

/**
 * Brings what they changed since `base` into `design`, field by field. Where both changed the same field ours stays, and is
 * counted. What one of us removed is gone, whatever the other did to it; it is answered, so that it can be put back.
 */
export function joinTheirs(design: Design, base: JsonObject, theirs: JsonObject): Joined {
  const [from, to] = [partsOf(readGraph(base)), partsOf(readGraph(theirs))]
  const mine: Parts = design.parts
  const own = design.toGraph()
  let ours = 0
  const joinField = (entry: Entry, before: Entry | undefined, after: Entry | undefined, name: string): void => {
    const [was, is, has] = [textIn(before, name), textIn(after, name), textIn(entry, name)]
    if (has === is) return
    // Pages that never read the document anew have fewer marks than its text: those of the text count.
    if (name.startsWith(MARK) && (is !== undefined || was !== undefined))
      return setOrDelete(entry, name, after?.get(name))
    if (was === is) return
    if (has === was) setOrDelete(entry, name, after?.get(name))
    else if (name !== LAYOUT) ours += 1
  }
  const joinEntry = (name: (typeof MAPS)[number], key: string): void => {
    const [was, is, has] = [from[name].get(key), to[name].get(key), mine[name].get(key)]
    if (is === undefined) {
      const kept = name === 'notes' && has !== undefined && was !== undefined && !sameEntry(has, was)
      if (has !== undefined && was !== undefined && !kept) mine[name].delete(key)
    } else if (has === undefined) {
      if (was === undefined) put(mine[name], key, Object.fromEntries(is.entries()) as Record<string, Json>)
    } else
      for (const each of namesOf(has, was, is)) if (each !== PLACE || name === 'bodies') joinField(has, was, is, each)
  }
  let removed: RemovedSteps | undefined
  const changedHere = new Set<string>()
  design.doc.transact(() => {
    if (!sameKeys(mine, partsOf(readGraph(own)))) readAnew(mine, own)
    const gone = goneIn(mine, from, to)
    removed = takeSteps(design.parts, gone)
    for (const key of removed.steps.keys()) {
      const was = from.steps.get(key)
      if (was === undefined || !sameEntry(mine.steps.get(key)!, was)) changedHere.add(key)
    }
    for (const part of ['document', 'variables'] as const)
      for (const name of namesOf(mine[part], from[part], to[part])) joinField(mine[part], from[part], to[part], name)
    for (const map of MAPS) for (const key of new Set([...from[map].keys(), ...to[map].keys()])) joinEntry(map, key)
    dropLooseEnds(mine)
    for (const map of ['steps', 'connections', 'notes'] as const) putInOrder(mine[map], to[map])
  }, 'theirs')
  return { ours, removed: removed!, changedHere }
}

/** Steps that they removed, and those that stand in a body that they removed. */
const goneIn = (mine: Parts, from: Parts, to: Parts): readonly string[] =>
  [...mine.steps.entries()].flatMap(([key, step]) => {
    const body = step.get('body') as string
    const lost = (map: 'steps' | 'bodies', each: string): boolean => from[map].has(each) && !to[map].has(each)
    return lost('steps', key) || lost('bodies', body) ? [key] : []
  })

/** A branch that was removed leaves a gap in the names of its neighbours, which whoever reads the document does not have. */
const sameKeys = (a: Parts, b: Parts): boolean =>
  MAPS.every((map) => a[map].size === b[map].size && [...a[map].keys()].every((key) => b[map].has(key)))

function readAnew(parts: Parts, document: JsonObject): void {
  for (const part of Object.values(parts)) part.clear()
  new Reader(parts).document(document)
}

/** As they have it, and what only we have behind it. Places are numbers of their own in every open page: only the order counts. */
function putInOrder(mine: Y.Map<Entry>, theirs: Y.Map<Entry>): void {
  const order = [
    ...inOrderOf(theirs).filter((key) => mine.has(key)),
    ...inOrderOf(mine).filter((key) => !theirs.has(key)),
  ]
  if (order.join('\n') === inOrderOf(mine).join('\n')) return
  for (const [index, key] of order.entries()) setOrDelete(mine.get(key)!, PLACE, index)
}

const inOrderOf = (map: Y.Map<Entry>): readonly string[] =>
  [...map.entries()]
    .sort(([a, one], [b, other]) => (one.get(PLACE) as number) - (other.get(PLACE) as number) || (a < b ? -1 : 1))
    .map(([key]) => key)

/** Lines and bodies whose step is gone. */
function dropLooseEnds({ steps, bodies, connections }: Parts): void {
  for (const [key, body] of [...bodies.entries()])
    if (body.has('step') && !steps.has(body.get('step') as string)) bodies.delete(key)
  for (const [key, step] of [...steps.entries()]) if (!bodies.has(step.get('body') as string)) steps.delete(key)
  const ids = new Set([...steps.values()].map((step) => `${step.get('body')}|${step.get('id')}`))
  for (const [key, line] of [...connections.entries()])
    if (!ids.has(`${line.get('body')}|${line.get('from')}`) || !ids.has(`${line.get('body')}|${line.get('to')}`))
      connections.delete(key)
}

const textIn = (entry: Entry | undefined, name: string): string | undefined =>
  entry?.has(name) ? JSON.stringify(entry.get(name)) : undefined

const sameEntry = (a: Entry, b: Entry): boolean =>
  namesOf(a, b)
    .filter((name) => name !== PLACE && name !== LAYOUT && !name.startsWith(MARK))
    .every((name) => textIn(a, name) === textIn(b, name))

const namesOf = (...entries: readonly (Entry | undefined)[]): readonly string[] => [
  ...new Set(entries.flatMap((entry) => (entry === undefined ? [] : [...entry.keys()]))),
]
