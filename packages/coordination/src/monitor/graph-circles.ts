import type { Actor, WaitFact } from './lock-snapshot.ts'

/** The strongly connected groups of the waits (Tarjan, without recursion: a chain may be long), each with a shortest circle. */
export function circlesOf(
  waits: readonly WaitFact[],
  blockersOf: (wait: WaitFact) => readonly string[],
): { actors: Actor[]; circle: WaitFact[] }[] {
  const edges = new Map<string, Map<string, WaitFact>>()
  const actors = new Map<string, Actor>()
  for (const wait of waits) {
    actors.set(wait.actor.id, wait.actor)
    const own = edges.get(wait.actor.id) ?? new Map<string, WaitFact>()
    for (const to of blockersOf(wait)) if (!own.has(to)) own.set(to, wait)
    edges.set(wait.actor.id, own)
  }
  return groupsOf(edges)
    .filter((group) => group.length > 1 || edges.get(group[0]!)?.has(group[0]!) === true)
    .map((group) => ({ actors: group.map((id) => actors.get(id)!), circle: shortestCircle(edges, new Set(group)) }))
}

type Edges = ReadonlyMap<string, ReadonlyMap<string, WaitFact>>

function groupsOf(edges: Edges): string[][] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const open: string[] = []
  const isOpen = new Set<string>()
  const groups: string[][] = []

  for (const root of edges.keys()) {
    if (index.has(root)) continue
    const path: { id: string; rest: Iterator<string> }[] = []
    const enter = (id: string): void => {
      index.set(id, index.size)
      low.set(id, index.get(id)!)
      open.push(id)
      isOpen.add(id)
      path.push({ id, rest: (edges.get(id)?.keys() ?? [][Symbol.iterator]()) as Iterator<string> })
    }
    enter(root)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { id, rest } = top
      const next = rest.next()
      if (next.done !== true) {
        if (!index.has(next.value)) enter(next.value)
        else if (isOpen.has(next.value)) low.set(id, Math.min(low.get(id)!, index.get(next.value)!))
        continue
      }
      path.pop()
      const parent = path.at(-1)
      if (parent !== undefined) low.set(parent.id, Math.min(low.get(parent.id)!, low.get(id)!))
      if (low.get(id) !== index.get(id)) continue
      const group = open.splice(open.lastIndexOf(id))
      for (const each of group) isOpen.delete(each)
      groups.push(group)
    }
  }
  return groups
}

/** Breadth first from the first of the group back to itself. */
function shortestCircle(edges: Edges, group: ReadonlySet<string>): WaitFact[] {
  const [start] = group
  const cameBy = new Map<string, { from: string; wait: WaitFact }>()
  const queue = [start!]
  for (const from of queue) {
    for (const [to, wait] of edges.get(from) ?? []) {
      if (!group.has(to) || cameBy.has(to)) continue
      cameBy.set(to, { from, wait })
      if (to === start) return backFrom(start, cameBy)
      queue.push(to)
    }
  }
  return []
}

function backFrom(start: string, cameBy: ReadonlyMap<string, { from: string; wait: WaitFact }>): WaitFact[] {
  const circle: WaitFact[] = []
  let at = start
  do {
    const step = cameBy.get(at)!
    circle.unshift(step.wait)
    at = step.from
  } while (at !== start)
  return circle
}
