import type { Json } from '@lockstep/base'

export const liveTopics = ['instances', 'definitions', 'incidents', 'schedules', 'cluster', 'locks'] as const
export type LiveTopic = (typeof liveTopics)[number]

/** A place in the order of commits: behind everything up to `pos`, and behind the first `n` changes that stand there. */
export interface LiveCursor {
  readonly pos: bigint
  readonly n: number
}

/** Something that was committed. It says what happened to what; whoever wants more reads it. */
export interface LiveEvent extends LiveCursor {
  readonly topic: LiveTopic
  /** Kind of the fact, or of the change. */
  readonly type: string
  /** Epoch ms, on the store's clock. */
  readonly at: number
  /** `undefined`: of no tenant, about the cluster. */
  readonly tenant: string | undefined
  /** Id of what it is about: instance, definition, incident, schedule or node; name of a lock. */
  readonly subject: string | undefined
  /** Facts: their place in the journal of their instance. */
  readonly seq?: number
  /** Facts: the node that wrote it. */
  readonly nodeId?: string
  /** Facts: the step, or how the instance ended. */
  readonly detail?: string
  readonly data?: Json
}

export const isBehind = (a: LiveCursor, b: LiveCursor): boolean => a.pos < b.pos || (a.pos === b.pos && a.n < b.n)

/** `483726193827841` or `483726193829887.17`: what a reader hands in to go on behind it. */
export const cursorText = ({ pos, n }: LiveCursor): string => (n === 0 ? String(pos) : `${pos}.${n}`)

const FORM = /^(\d{1,18})(?:\.(\d{1,15}))?$/

/** `undefined`: not a place. */
export function cursorFrom(text: string): LiveCursor | undefined {
  const found = FORM.exec(text)
  return found === null ? undefined : { pos: BigInt(found[1]!), n: Number(found[2] ?? 0) }
}
