/**
 * An activity that is gone and one that is new are the same under another name when everything else is equal: members,
 * parts, graph, the activities inside, and the connections. Pairs are found in rounds, because the names of inner graphs
 * contain the id of their container and neighbours may have been renamed too; what would fit several is left alone.
 * At the end pairs whose connections do not agree are dropped, and with them their neighbours: those that are left explain each other.
 */
import { canonicalJson } from '@lockstep/base'
import { connectionKey, type FlatActivity, type FlatConnection, type FlatGraph } from './flat-graph.ts'

/** New id of each old one. */
export type Renames = ReadonlyMap<string, string>

/** More than containers can be nested. */
const MOST_ROUNDS = 40

export function findRenames(before: FlatGraph, after: FlatGraph): Renames {
  const renames = new Map<string, string>()
  const gone = sideOf(before, after)
  const born = sideOf(after, before)
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const taken = new Set(renames.values())
    const openGone = gone.open.filter(({ id }) => !renames.has(id))
    const openBorn = born.open.filter(({ id }) => !taken.has(id))
    if (openGone.length === 0 || openBorn.length === 0) break
    const isKnown = (id: string): boolean => (before.activities.has(id) ? after.activities.has(id) : taken.has(id))
    const pairs = pairUnique(
      openGone.map((each) => [signature(each, gone, renames, isKnown), each.id]),
      openBorn.map((each) => [signature(each, born, new Map(), isKnown), each.id]),
    )
    if (pairs.length === 0) break
    for (const [old, fresh] of pairs) renames.set(old, fresh)
  }
  return withoutLoose(renames, before, after)
}

export function renameScope(scope: string, renames: Renames): string {
  const [owner = '', ...rest] = scope.split('/')
  return [renames.get(owner) ?? owner, ...rest].join('/')
}

export function renameConnection(connection: FlatConnection, renames: Renames): FlatConnection {
  const { scope, from, to } = connection
  return {
    ...connection,
    scope: renameScope(scope, renames),
    from: renames.get(from) ?? from,
    to: renames.get(to) ?? to,
  }
}

/** What one of the two documents says about the activities that only it has. */
interface Side {
  readonly open: readonly FlatActivity[]
  /** What does not depend on names around it. */
  readonly contents: ReadonlyMap<string, string>
  readonly links: ReadonlyMap<string, readonly FlatConnection[]>
}

function sideOf(graph: FlatGraph, other: FlatGraph): Side {
  const open = [...graph.activities.values()].filter(({ id }) => !other.activities.has(id))
  const inside = new Map<string, string[]>()
  for (const { id, owner } of graph.activities.values()) if (owner !== undefined) push(inside, owner, id)
  const contents = open.map(
    ({ id, own, parts }) => [id, canonicalJson([own, parts, (inside.get(id) ?? []).sort()])] as const,
  )
  const links = new Map<string, FlatConnection[]>()
  for (const connection of graph.connections.values()) {
    push(links, connection.from, connection)
    if (connection.to !== connection.from) push(links, connection.to, connection)
  }
  return { open, contents: new Map(contents), links }
}

function push<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const present = lists.get(key)
  if (present === undefined) lists.set(key, [item])
  else present.push(item)
}

/** Contents, graph, and the connections to activities that both sides know by now. */
function signature(
  { id, scope }: FlatActivity,
  { contents, links }: Side,
  renames: Renames,
  isKnown: (id: string) => boolean,
): string {
  const near: string[] = []
  for (const { from, outcome, to } of links.get(id) ?? []) {
    if (from === to) near.push(`=${outcome}`)
    const end = from === id ? to : from
    const name = renames.get(end) ?? end
    if (end !== id && isKnown(name)) near.push(`${from === id ? '>' : '<'}${outcome} ${name}`)
  }
  return JSON.stringify([contents.get(id), renameScope(scope, renames), near.sort()])
}

/** Ids whose signature is found once on each side. */
function pairUnique(
  gone: readonly (readonly [string, string])[],
  born: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  const old = onlyOnes(gone)
  return [...onlyOnes(born)].flatMap(([key, fresh]) => (old.has(key) ? [[old.get(key)!, fresh] as const] : []))
}

function onlyOnes(entries: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
  const lists = new Map<string, string[]>()
  for (const [key, id] of entries) push(lists, key, id)
  return new Map([...lists].filter(([, ids]) => ids.length === 1).map(([key, [id]]) => [key, id!]))
}

/** A pair that is dropped takes those with it that are connected to it, or stand in it: each is looked at once. */
function withoutLoose(renames: Map<string, string>, before: FlatGraph, after: FlatGraph): Renames {
  if (renames.size === 0) return renames
  const moved = [...before.connections.values()].map((each) => renameConnection(each, renames))
  const expected = new Set(moved.map(connectionKey))
  const loose: string[] = []
  for (const each of moved) if (!after.connections.has(connectionKey(each))) loose.push(each.from, each.to)
  for (const [key, each] of after.connections) if (!expected.has(key)) loose.push(each.from, each.to)

  const oldOf = new Map([...renames].map(([old, fresh]) => [fresh, old]))
  const near = new Map<string, string[]>()
  for (const { scope, from, to } of [...moved, ...after.connections.values()])
    for (const each of new Set([from, to, scope.split('/')[0] ?? ''])) {
      push(near, each, from)
      push(near, each, to)
    }
  for (let fresh = loose.pop(); fresh !== undefined; fresh = loose.pop()) {
    const old = oldOf.get(fresh)
    if (old === undefined || !renames.delete(old)) continue
    for (const each of near.get(fresh) ?? []) loose.push(each)
  }
  return renames
}
