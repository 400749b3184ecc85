import type {
  Answers,
  InTheWay,
  LeaseAnswer,
  LeaseKey,
  LeaseProvider,
  LeaseRenewal,
  LeaseRequest,
  TogetherAnswer,
} from '../lease/lease-provider.ts'
import { enqueue, fits, grant, handOn, settle, tooHeavy } from './grant-queue.ts'
import { recordEvent } from './history.ts'
import type { HolderRecord, LockRecord } from './memory-store.ts'
import type { MemoryTime } from './memory-time.ts'

/** The reference of what a lease store does: every call decides at once and at one moment. */
export function memoryLeases(time: MemoryTime): LeaseProvider {
  const { space } = time

  const find = (name: string, at: number): LockRecord | undefined => {
    const lock = space.locks.get(name)
    if (lock === undefined) return undefined
    settle(space, lock, at)
    return keepOrDrop(lock)
  }

  const keepOrDrop = (lock: LockRecord): LockRecord | undefined => {
    if (lock.holders.size > 0 || lock.waiters.length > 0) return lock
    space.locks.delete(lock.name)
    return undefined
  }

  const findOrMake = (request: LeaseRequest, at: number): LockRecord => {
    const found = find(request.name, at)
    if (found !== undefined) return found
    const { name, kind } = request
    const lock: LockRecord = { name, kind, holders: new Map(), waiters: [], max: undefined }
    space.locks.set(name, lock)
    return lock
  }

  const ask = (request: LeaseRequest, at: number): LeaseAnswer => {
    const lock = findOrMake(request, at)
    const answer = answerTo(lock, request, at)
    keepOrDrop(lock)
    return answer
  }

  const answerTo = (lock: LockRecord, request: LeaseRequest, at: number): LeaseAnswer => {
    if (lock.kind !== request.kind) return { status: 'wrong-kind', inUseAs: lock.kind }
    const held = lock.holders.get(request.token)
    if (held !== undefined) return askAgain(lock, held, request, at)

    const max = tooHeavy(space, lock, request.share)
    if (max !== undefined) {
      lock.waiters = lock.waiters.filter((each) => each.token !== request.token)
      handOn(space, lock, at, false)
      return { status: 'too-heavy', max }
    }
    if (request.share.kind === 'permits') lock.max = request.share.max
    const isNext = lock.waiters.every((each) => each.token !== request.token && each.priority < rankOf(request))
    if (isNext && fits(space, lock, request.share)) {
      return { status: 'granted', fence: grant(space, lock, request, at, request.ttlMs) }
    }
    if (request.wait === undefined) return { status: 'busy', ...inTheWay(lock, at) }
    return { status: 'queued', ahead: takePlace(lock, request, at), ...inTheWay(lock, at) }
  }

  const takePlace = (lock: LockRecord, request: LeaseRequest, at: number): number => {
    const place = request.wait!
    const known = lock.waiters.findIndex((each) => each.token === request.token)
    if (known >= 0) {
      lock.waiters[known]!.aliveUntil = at + place.aliveMs
      return known
    }
    enqueue(lock, {
      token: request.token,
      holder: request.holder,
      noticeAddress: place.address,
      address: request.address ?? place.address,
      share: request.share,
      priority: place.priority,
      since: at,
      fenceCount: request.fenceCount,
      grantTtlMs: place.grantTtlMs,
      aliveUntil: at + place.aliveMs,
    })
    return lock.waiters.findIndex((each) => each.token === request.token)
  }

  /** A holder that repeats itself, or wants another share of the same lock. */
  const askAgain = (lock: LockRecord, held: HolderRecord, request: LeaseRequest, at: number): LeaseAnswer => {
    const from = held.share.kind
    const to = request.share.kind
    if (from === 'read' && to === 'write') {
      if (lock.holders.size > 1) return { status: 'busy', ...inTheWay(lock, at, held.token) }
      return { status: 'granted', fence: grant(space, lock, request, at, request.ttlMs) }
    }
    held.expiresAt = at + request.ttlMs
    // It says who it is now: another process may have taken it over.
    if (from === to) Object.assign(held, { holder: request.holder, address: request.address ?? request.wait?.address })
    if (from === 'write' && to === 'read') {
      held.share = request.share
      handOn(space, lock, at, true)
    }
    return { status: 'granted', fence: BigInt(held.fence) }
  }

  const together = (requests: readonly LeaseRequest[], at: number): TogetherAnswer[] => {
    const fresh = requests.filter((each) => find(each.name, at)?.holders.has(each.token) !== true)
    const answers = requests.map((each) => ask(withoutPlace(each), at))
    if (answers.every((each) => each.status === 'granted')) return answers
    for (const request of fresh) undo(request)
    return answers.map((each) => (each.status === 'granted' ? { status: 'free' } : each))
  }

  /** Takes back what this very call granted: nobody can have seen it. */
  const undo = ({ name, token }: LeaseKey): void => {
    const lock = space.locks.get(name)
    if (lock === undefined) return
    if (lock.holders.delete(token)) space.history.get(name)?.shift()
    keepOrDrop(lock)
  }

  const renew = ({ name, token, ttlMs }: LeaseRenewal, at: number): 'renewed' | 'lost' => {
    const held = find(name, at)?.holders.get(token)
    if (held === undefined) return 'lost'
    held.expiresAt = at + ttlMs
    return 'renewed'
  }

  const release = ({ name, token }: LeaseKey, at: number): 'released' | 'gone' => {
    const lock = find(name, at)
    if (lock === undefined) return 'gone'
    const held = lock.holders.get(token)
    const before = lock.waiters.length
    if (held !== undefined) {
      lock.holders.delete(token)
      recordEvent(space, name, { at, kind: 'released', holder: held.holder, fence: BigInt(held.fence) })
    } else {
      lock.waiters = lock.waiters.filter((each) => each.token !== token)
      if (lock.waiters.length === before) return 'gone'
    }
    handOn(space, lock, at, held?.share.kind === 'write')
    keepOrDrop(lock)
    return 'released'
  }

  const each = async <In, Out>(items: readonly In[], decide: (item: In, at: number) => Out): Promise<Answers<Out>> => {
    const at = time.enter()
    return { at, answers: items.map((item) => decide(item, at)) }
  }

  return {
    acquire: (requests) => each(requests, ask),
    acquireTogether: async (requests) => {
      const at = time.enter()
      return { at, answers: together(requests, at) }
    },
    renew: (leases) => each(leases, renew),
    release: (leases) => each(leases, release),
    listen: async (address, listener) => {
      time.enter()
      return time.listen(address, listener)
    },
  }
}

function withoutPlace({ wait: _, ...request }: LeaseRequest): LeaseRequest {
  return request
}

function inTheWay(lock: LockRecord, at: number, but?: string): InTheWay {
  for (const held of lock.holders.values()) {
    if (held.token !== but) return { holder: held.holder, leftMs: held.expiresAt - at }
  }
  return {}
}

/** Permits may go past those of lower rank; who does not wait goes before nobody. */
const rankOf = ({ wait, share }: LeaseRequest): number =>
  share.kind === 'permits' && wait !== undefined ? wait.priority : Number.NEGATIVE_INFINITY
