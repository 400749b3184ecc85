import type { ClusterNodes, IncidentGroup, Lock } from '../../api/wire.ts'
import { durationText } from '../../ui/time-text.ts'
import type { Breaker } from '../breakers/breakers-queries.ts'
import type { LostNode } from '../cluster/cluster-health.ts'
import { isLate } from '../cluster/node-entries.ts'

/** One thing that somebody should look at, and the page where it is mended. */
export interface AttentionItem {
  readonly key: string
  readonly kind: 'incident' | 'breaker' | 'lock' | 'node'
  readonly title: string
  readonly text: string
  readonly at: string | null
  readonly to: string
  readonly search?: Readonly<Record<string, string>>
  readonly count?: number
}

export interface AttentionFacts {
  readonly incidents: readonly IncidentGroup[]
  readonly breakers: readonly Breaker[]
  readonly locks: readonly Lock[]
  readonly nodes: ClusterNodes | undefined
  readonly lost: readonly LostNode[]
  readonly nameOf: (definitionId: string) => string
}

/** What stops others first: nodes, locks, breakers, then what failed. */
export function attentionOf(facts: AttentionFacts): readonly AttentionItem[] {
  const { incidents, breakers, locks, nodes, lost, nameOf } = facts
  return [
    ...lost.map(({ name, at }) => ({
      ...{ key: `lost ${name}`, kind: 'node' as const, title: `Node ${name} is gone`, at, to: '/cluster' },
      text: at === null ? 'Its process has ended' : 'The others took over what it had in hand',
    })),
    ...(nodes?.items ?? [])
      .filter(({ name }) => !lost.some((each) => each.name === name))
      .filter((node) => node.state === 'leaving' || isLate(node, nodes?.patience))
      .map(({ id, name, silentMs, beatAt }) => ({
        ...{ key: id, kind: 'node' as const, title: `Node ${name} is late`, at: beatAt, to: '/cluster' },
        text: `Not heard of for ${durationText(silentMs)}`,
      })),
    ...locks
      .filter(({ state }) => state === 'stale')
      .map(({ key, acquiredAt, holder }) => ({
        ...{ key: `lock ${key}`, kind: 'lock' as const, title: `Lock ${key} is stale`, at: acquiredAt, to: '/locks' },
        ...{ text: `Its holder, ${holder?.name ?? 'unknown'}, is gone`, search: { lock: key } },
      })),
    ...breakers
      .filter(({ state }) => state !== 'closed')
      .map(({ key, state, reason, openedAt }) => ({
        ...{ key: `breaker ${key}`, kind: 'breaker' as const, title: `Breaker ${key} is ${state}`, at: openedAt },
        ...{ text: reason ?? 'Steps behind it wait', to: '/breakers' },
      })),
    ...incidents.map(({ fingerprint, open, definitionId, step, message, lastAt, assignee }) => ({
      ...{ key: fingerprint, kind: 'incident' as const, count: open, at: lastAt, to: '/incidents' },
      title: step === null ? nameOf(definitionId) : `${nameOf(definitionId)}: ${step}`,
      ...{ text: assignee === null ? message : `${assignee} sees to it. ${message}`, search: { fingerprint } },
    })),
  ]
}
