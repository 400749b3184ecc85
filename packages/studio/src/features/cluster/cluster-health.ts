import type { ClusterNodes } from '../../api/wire.ts'
import { durationText } from '../../ui/time-text.ts'
import type { ClusterEvent } from './cluster-queries.ts'
import { isLate } from './node-entries.ts'

export interface ClusterHealth {
  readonly alive: number
  /** With those that died lately. */
  readonly all: number
  /** One sentence for each node that is not as it should be, without its full stop. */
  readonly faults: readonly string[]
}

/** A node that died is missing from the list as soon as the others have buried it: for a while it is counted all the same. */
export function clusterHealth(
  { items, processes = [], patience }: ClusterNodes,
  events: readonly ClusterEvent[],
  now: number,
): ClusterHealth {
  const dead = processes.filter(({ state }) => state === 'dead').map(({ name }) => name)
  const known = items.filter(({ name }) => !dead.includes(name))
  const lost = new Set([...dead, ...lostLately(events, new Set(known.map(({ name }) => name)), now)])
  const unwell = known.flatMap((node) => {
    if (isLate(node, patience)) return [`${node.name} is late: not heard of for ${durationText(node.silentMs)}`]
    return node.state === 'alive' ? [] : [`${node.name} is ${node.state}`]
  })
  return {
    alive: known.length - unwell.length,
    all: known.length + lost.size,
    faults: [...[...lost].map((name) => `${name} is gone`), ...unwell],
  }
}

/** How long a node that died is told of, unless it comes back under its name. */
const MOURNED_MS = 10 * 60_000

/** Nodes that were buried lately and are not back, by name. */
function lostLately(events: readonly ClusterEvent[], alive: ReadonlySet<string>, now: number): readonly string[] {
  const lost = events.filter(
    ({ kind, name, at }) => kind === 'buried' && !alive.has(name) && at !== null && now - Date.parse(at) < MOURNED_MS,
  )
  return [...new Set(lost.map(({ name }) => name))]
}
