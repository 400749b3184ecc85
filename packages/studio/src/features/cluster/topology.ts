import type { ClusterNodes } from '../../api/wire.ts'
import { durationText } from '../../ui/time-text.ts'
import { isLate, type NodeEntry } from './node-entries.ts'

/** `unknown`: nobody has measured it yet. */
export type Health = 'well' | 'slow' | 'down' | 'unknown'

export interface NodePlace {
  readonly key: string
  readonly name: string
  readonly health: Health
  /** How it stands, in a word or two. */
  readonly word: string
  readonly self: boolean
}

export interface ServerPlace {
  readonly name: string
  readonly label: string
  readonly does: string
  readonly health: Health
  /** What stands on the line to it. */
  readonly word: string
}

const SERVERS: Readonly<Record<string, { readonly label: string; readonly does: string; readonly limitMs: number }>> = {
  database: { label: 'Database', does: 'the store of everything', limitMs: 10 },
  redis: { label: 'Redis', does: 'locks, caches, wake-ups', limitMs: 5 },
  broker: { label: 'RabbitMQ', does: 'messages, wake-ups', limitMs: 10 },
}

/** A node asks every 15 s and waits 5 s for the answer: who has been up for longer than this has asked. */
const ASKED_AFTER_MS = 25_000

/** What the node that answers leans on, as it measured last. `isStoreAway`: the answer itself says that the store is. */
export function serverPlaces(
  { servers = [], items }: ClusterNodes,
  now: number,
  isStoreAway: boolean,
): readonly ServerPlace[] {
  const startedAt = items.find(({ self }) => self)?.startedAt ?? null
  const hasAsked = startedAt !== null && now - Date.parse(startedAt) > ASKED_AFTER_MS
  return servers.map(({ name, roundTripMs }) => {
    const { label = name, does = '', limitMs = 10 } = SERVERS[name] ?? {}
    const place = { name, label, does }
    if (roundTripMs === null || (name === 'database' && isStoreAway))
      return hasAsked || isStoreAway
        ? { ...place, health: 'down', word: 'No answer' }
        : { ...place, health: 'unknown', word: 'Not measured yet' }
    if (roundTripMs > limitMs) return { ...place, health: 'slow', word: `Slow: ${tripText(roundTripMs)}` }
    return { ...place, health: 'well', word: tripText(roundTripMs) }
  })
}

/** Most round trips are short: a tenth of a millisecond counts there. */
const tripText = (ms: number): string => (ms < 10 ? `${ms.toFixed(1)} ms` : durationText(ms))

export function nodePlace({ key, name, node, process }: NodeEntry, patience: ClusterNodes['patience']): NodePlace {
  const place = { key, name, self: node?.self ?? false }
  if (process?.state === 'dead') return { ...place, health: 'down', word: 'Dead' }
  if (node === undefined) return { ...place, health: 'unknown', word: 'Joining' }
  if (process?.state === 'paused') return { ...place, health: 'down', word: 'Paused' }
  if (isLate(node, patience)) return { ...place, health: 'slow', word: 'Late' }
  const word = node.state === 'alive' ? 'Alive' : `${node.state[0]?.toUpperCase()}${node.state.slice(1)}`
  return { ...place, health: node.state === 'alive' ? 'well' : 'unknown', word }
}

/** Those that fit into the picture, by name: whoever is not well, and the one that answers, before the others. */
export function shownPlaces(places: readonly NodePlace[], most: number): readonly NodePlace[] {
  if (places.length <= most) return places
  const weight = ({ health, self }: NodePlace): number => (health === 'well' ? 0 : 2) + (self ? 1 : 0)
  const shown = new Set([...places].sort((a, b) => weight(b) - weight(a)).slice(0, most))
  return places.filter((place) => shown.has(place))
}
