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
  const lost = lostNodes({ items, processes }, events, now)
  const known = items.filter(({ name }) => !lost.some((each) => each.name === name))
  const unwell = known.flatMap((node) => {
    if (isLate(node, patience)) return [`${node.name} is late: not heard of for ${durationText(node.silentMs)}`]
    return node.state === 'alive' ? [] : [`${node.name} is ${node.state}`]
  })
  return {
    alive: known.length - unwell.length,
    all: known.length + lost.length,
    faults: [...lost.map(({ name }) => `${name} is gone`), ...unwell],
  }
}

/** How long a node that died is told of, unless it comes back under its name. */
const MOURNED_MS = 10 * 60_000

export interface LostNode {
  readonly name: string
  /** When the others gave it up; `null`: they have not yet. */
  readonly at: string | null
}

/** Nodes whose process has ended, or that were buried lately and are not back. Each once, with its last burial; of `events` the newest come first. */
export function lostNodes(
  { items, processes = [] }: Pick<ClusterNodes, 'items' | 'processes'>,
  events: readonly ClusterEvent[],
  now: number,
): readonly LostNode[] {
  const dead = new Set(processes.filter(({ state }) => state === 'dead').map(({ name }) => name))
  const listed = new Set(items.map(({ name }) => name))
  const buried = events.filter(
    ({ kind, name, at }) => kind === 'buried' && !listed.has(name) && at !== null && now - Date.parse(at) < MOURNED_MS,
  )
  const buriedAt = (name: string) => buried.find((each) => each.name === name)?.at ?? null
  const names = new Set([...dead, ...buried.map(({ name }) => name)])
  return [...names].map((name) => ({ name, at: buriedAt(name) }))
}
