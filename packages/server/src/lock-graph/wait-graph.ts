/**
 * Who waits for whom. The store of locks knows the leases and whoever asks at this moment; the store of instances knows those that wait long and ask
 * only now and then. Put together, an instance is one party, whatever node it is in the hands of: two that wait for each other are found although
 * neither is in a queue, and although one process has them both.
 *
 * Pure: what was read, in; the graph, out.
 */
import { toWireId } from '@lockstep/base'
import {
  findDeadlocks,
  type HolderInfo,
  type LockSnapshot,
  type LockView,
  type Stake,
  type WaitFact,
  waitsOf,
} from '@lockstep/coordination'
import type { LockWaiter } from '@lockstep/engine/ports'

export interface Party {
  readonly id: string
  readonly kind: 'instance' | 'owner' | 'process' | 'unknown'
  /** Of the node, where it is known. */
  readonly name: string | null
  readonly instanceId: string | null
  readonly definitionId: string | null
  /** What the holder called itself. */
  readonly owner: string | null
}

export interface Hold {
  readonly party: string
  readonly key: string
  readonly fence: string
  readonly since: number
}

export interface PartyWait {
  readonly party: string
  readonly key: string
  readonly since: number
  readonly step: string | null
}

export interface Circle {
  readonly actors: readonly string[]
  readonly circle: readonly { readonly party: string; readonly key: string }[]
  readonly certain: boolean
  readonly finding: string
}

export interface WaitGraph {
  readonly parties: ReadonlyMap<string, Party>
  readonly holds: readonly Hold[]
  readonly waits: readonly PartyWait[]
  readonly deadlocks: readonly Circle[]
}

/** Locks that somebody waits for, and the instances that wait. */
export function waitGraph(locks: readonly LockView[], waiters: readonly LockWaiter[]): WaitGraph {
  const parties = new Map<string, Party>()
  const met = (party: Party): string => {
    const before = parties.get(party.id)
    parties.set(party.id, { ...party, name: party.name ?? before?.name ?? null })
    return party.id
  }
  const waiting = new Map<string, LockWaiter[]>()
  for (const each of waiters) waiting.set(each.name, [...(waiting.get(each.name) ?? []), each])
  const holds: Hold[] = []
  const waits: PartyWait[] = []
  const steps = new StepsOfParties()

  const snapshots = locks.flatMap((lock): LockSnapshot[] => {
    const holders = lock.holders.map((each): Stake => {
      const id = met(partyOf(each.token, each.holder))
      holds.push({ party: id, key: lock.name, fence: String(each.fence), since: each.acquiredAt })
      steps.holds(id, lock.name, stepOf(each.holder))
      return { actor: actorOf(parties.get(id)!), token: each.token, share: each.share }
    })
    const long = waiting.get(lock.name) ?? []
    const known = new Set(long.map(({ instanceId }) => toWireId('instance', instanceId)))
    const inLine = lock.waiters.flatMap((each): Stake[] => {
      const id = met(partyOf(each.token, each.holder))
      // The other store says more of it.
      if (known.has(id)) return []
      waits.push({ party: id, key: lock.name, since: each.since, step: stepOf(each.holder) ?? null })
      steps.waits(id, lock.name, stepOf(each.holder), false)
      return [{ actor: actorOf(parties.get(id)!), token: each.token, share: each.share }]
    })
    const others = long.map((each): Stake => {
      const id = met(instanceParty(each.instanceId, each.definitionId, null))
      waits.push({ party: id, key: lock.name, since: each.since, step: each.step })
      steps.waits(id, lock.name, each.step, each.isEndless)
      return {
        actor: actorOf(parties.get(id)!),
        token: `${each.instanceId} ${each.step}`,
        // Instances ask for nothing but mutexes.
        share: { kind: 'mutex' },
      }
    })
    const seen = { name: lock.name, kind: lock.kind, ...(lock.max === undefined ? {} : { max: lock.max }), holders }
    // Who asks only now and then stands behind nobody but the holders: each is looked at as if it were alone.
    return [{ ...seen, waiters: inLine }, ...others.map((waiter) => ({ ...seen, waiters: [waiter] }))]
  })
  const deadlocks = findDeadlocks(waitsOf(snapshots)).map(({ actors, circle }) =>
    toCircle(
      actors.map(({ id }) => id),
      circle,
      { parties, steps },
    ),
  )
  return { parties, holds, waits: waits.sort((a, b) => a.since - b.since), deadlocks }
}

/** Which step of an instance holds a lock, and which waits: one inside of the other cannot make room for it. */
class StepsOfParties {
  readonly #holds = new Map<string, string | undefined>()
  readonly #waits = new Map<string, { readonly step: string | undefined; readonly isEndless: boolean }>()

  holds(party: string, key: string, step: string | undefined): void {
    this.#holds.set(`${party} ${key}`, step)
  }

  waits(party: string, key: string, step: string | undefined, isEndless: boolean): void {
    this.#waits.set(`${party} ${key}`, { step, isEndless })
  }

  /** It waits for `wanted` for ever, and inside of the section that has `held`. */
  cannotGoOn(party: string, held: string, wanted: string): boolean {
    const wait = this.#waits.get(`${party} ${wanted}`)
    const section = this.#holds.get(`${party} ${held}`)
    return wait?.isEndless === true && section !== undefined && wait.step?.startsWith(`${section}.`) === true
  }
}

function toCircle(
  actors: readonly string[],
  circle: readonly WaitFact[],
  { parties, steps }: { readonly parties: ReadonlyMap<string, Party>; readonly steps: StepsOfParties },
): Circle {
  const told = circle.map((wait) => `${partyText(parties.get(wait.actor.id)!)} waits for "${wait.lock.name}"`)
  const certain = circle.every((wait, place) => {
    // Whoever comes before it in the circle waits for what it holds.
    const held = circle.at(place - 1)!.lock.name
    const { id, named } = wait.actor
    return named || steps.cannotGoOn(id, held, wait.lock.name)
  })
  const isOfInstances = circle.some((wait) => parties.get(wait.actor.id)!.kind === 'instance')
  return {
    actors,
    circle: circle.map((wait) => ({ party: wait.actor.id, key: wait.lock.name })),
    certain,
    finding: `${told.join(', ')}: ${certain ? 'none of them can go on' : 'none of them goes on, unless another part of it makes room or a wait is given up'}. ${
      isOfInstances
        ? 'Cancel one of these instances, and have workflows take their locks in one order'
        : 'Break one of these locks, and take them in one order, or with all([…])'
    }`,
  }
}

/** One who named itself cannot make room for itself. An instance may: it can have several branches. */
const actorOf = ({ id, kind }: Party): Stake['actor'] => ({ id, named: kind === 'owner' })

function partyOf(token: string, holder: HolderInfo | undefined): Party {
  if (holder === undefined) return { id: `unknown:${token}`, kind: 'unknown', ...NOTHING }
  const { instanceId, definitionId, owner } = metaOf(holder)
  if (typeof instanceId === 'string')
    return instanceParty(instanceId, typeof definitionId === 'string' ? definitionId : null, holder.node)
  const own = { ...NOTHING, name: holder.node }
  if (typeof owner === 'string' && owner !== '') return { ...own, id: `owner:${owner}`, kind: 'owner', owner }
  return { ...own, id: `process:${holder.nodeId}`, kind: 'process' }
}

const NOTHING = { name: null, instanceId: null, definitionId: null, owner: null }

function instanceParty(id: string, definitionId: string | null, name: string | null): Party {
  const instanceId = toWireId('instance', id)
  return { ...NOTHING, id: instanceId, kind: 'instance', name, instanceId, definitionId }
}

/** What workflows leave with a lock. */
const metaOf = ({
  meta,
}: HolderInfo): { readonly instanceId?: unknown; readonly definitionId?: unknown; readonly owner?: unknown } =>
  typeof meta === 'object' && meta !== null ? meta : {}

function stepOf(holder: HolderInfo | undefined): string | undefined {
  const { step } = (holder === undefined ? {} : metaOf(holder)) as { readonly step?: unknown }
  return typeof step === 'string' ? step : undefined
}

function partyText({ kind, instanceId, definitionId, owner, name }: Party): string {
  if (kind === 'instance') return definitionId === null ? `${instanceId}` : `${definitionId} ${instanceId}`
  return owner ?? (name === null ? 'somebody unknown' : `node ${name}`)
}
