/**
 * Whether a node may be sent work, and how what it leans on is. Anybody may ask: what a server said of its failure stands in the log
 * alone. Without its database a node is of no use; without the others it is slower.
 */
import { type Clock, type Logger, Trouble, withTimeout } from '@lockstep/base'
import type { HealthCheck, RoundTrips } from '@lockstep/server'
import type { OpenNode } from './open-node.ts'

export interface NodeHealthOptions {
  readonly node: Pick<OpenNode, 'engine' | 'db' | 'bus'>
  readonly roundTrips: Pick<RoundTrips, 'list'>
  readonly clock: Clock
  readonly logger: Logger
  readonly stopping: () => boolean
}

/** A database that does not say no is away too. Shorter than the three seconds that probes of our manifests wait. */
const LONGEST_MS = 2_000

const LOSSES: Readonly<Record<string, string>> = {
  redis: 'Redis does not answer: what uses it waits, everything else goes on',
  broker: 'the broker does not answer: messages wait, everything else goes on',
}

export interface NodeHealth {
  /** For balancers: a node that leaves or was drained says so, and nothing else. */
  ready(): Promise<readonly HealthCheck[]>
  /** For metrics: the node itself and all that it leans on, whatever state it is in. */
  parts(): Promise<readonly HealthCheck[]>
}

export function nodeHealth({ node, roundTrips, clock, logger, stopping }: NodeHealthOptions): NodeHealth {
  const trouble = new Trouble(logger, 'not ready: the database does not answer', 'ready again: the database answers')
  let asked: Promise<void> | undefined
  /** Those who ask at the same time wait for one answer: a database that hangs is not asked by each of them. */
  const ping = (): Promise<void> => {
    asked ??= withTimeout(clock, LONGEST_MS, 'the database', node.db.ping()).finally(() => {
      asked = undefined
    })
    return asked
  }
  const database = async (): Promise<HealthCheck> => {
    try {
      await ping()
      trouble.over()
      return { name: 'database', ok: true }
    } catch (error) {
      trouble.failed(error)
      return { name: 'database', ok: false, reason: 'the database does not answer: the log of this node says why' }
    }
  }
  const bus = (): readonly HealthCheck[] => {
    if (node.bus.isFailing === undefined) return []
    if (!node.bus.isFailing()) return [{ name: 'bus', ok: true }]
    const reason = 'wake-ups cannot be sent or heard: nodes find work by polling, which is slower'
    return [{ name: 'bus', ok: false, degraded: true, reason }]
  }
  const servers = (): readonly HealthCheck[] =>
    roundTrips
      .list()
      .filter(({ name }) => name !== 'database')
      .map(({ name, silent }) =>
        silent ? { name, ok: false, degraded: true, reason: LOSSES[name]! } : { name, ok: true },
      )

  const itself = (): HealthCheck => {
    if (stopping()) return { name: 'node', ok: false, reason: 'the node is stopping' }
    const { state } = node.engine.cluster
    if (state === 'draining' || state === 'drained')
      return { name: 'node', ok: false, reason: `an operator has drained the node: it is ${state}` }
    return { name: 'node', ok: true }
  }
  const others = async (): Promise<readonly HealthCheck[]> => [await database(), ...servers(), ...bus()]

  return {
    ready: async () => {
      const own = itself()
      return own.ok ? others() : [own]
    },
    parts: async () => [itself(), ...(await others())],
  }
}
