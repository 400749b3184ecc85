import type { Clock } from '@lockstep/base'
import type {
  Answers,
  LeaseAnswer,
  LeaseKey,
  LeaseProvider,
  LeaseRequest,
  TogetherAnswer,
} from '@lockstep/coordination'
import type { Commands } from '../connection/commands.ts'
import type { Subscriptions } from '../connection/subscriptions.ts'
import type { KeySpace } from '../key/key-space.ts'
import type { IndexWeeder } from '../monitor/index-weeder.ts'
import { ContendedNames } from './contended-names.ts'
import { decodeAnswer, type RawAnswer } from './decode-answer.ts'
import { decodeNotice } from './decode-notice.ts'
import * as calls from './lease-calls.ts'
import { dropMutexesCall, isAlike, takeMutexesCall } from './mutex-lane.ts'
import { Batch } from './run-calls.ts'

export interface LeaseContext {
  readonly clock: Clock
  readonly space: KeySpace
  readonly commands: Commands
  readonly subscriptions: Subscriptions
  /** Looks after the index. */
  readonly weeder: Pick<IndexWeeder, 'onGranted' | 'onReleased'>
}

/**
 * Two ways to a mutex: the fast one (`take-mutexes`, `drop-mutexes`) when nobody waits for it, as far as we know, and the full one
 * whenever it turns out that somebody does. Read/write locks and semaphores have one.
 */
export function redisLeases(context: LeaseContext): LeaseProvider {
  const { space, commands, subscriptions } = context
  const contended = new ContendedNames(context.clock)

  /** Places of the mutexes that may take the fast way, of the other mutexes, and of the rest. */
  const ways = <Item extends LeaseKey>(items: readonly Item[], isFit: (item: Item) => boolean) => {
    const fast: number[] = []
    const full: number[] = []
    const shared: number[] = []
    const passed = new Set<string>()
    for (let place = 0; place < items.length; place += 1) {
      const item = items[place]!
      if (item.kind !== 'mutex') shared.push(place)
      // What comes later must not overtake a request for the same name.
      else if (!contended.has(item.name) && isFit(item) && (passed.size === 0 || !passed.has(item.name)))
        fast.push(place)
      else {
        full.push(place)
        passed.add(item.name)
      }
    }
    return { fast, full, shared }
  }

  return {
    async acquire(requests): Promise<Answers<LeaseAnswer>> {
      if (requests.length === 0) return nothing(commands)
      const first = requests.find((request) => request.kind === 'mutex')
      const { fast, full, shared } = ways(requests, (request) => request === first || isAlike(first!, request))
      const batch = new Batch(context, requests)
      const answers = new Array<LeaseAnswer>(requests.length)
      let granted = 0
      const put = (place: number, raw: RawAnswer): void => {
        const answer = decodeAnswer(raw) as LeaseAnswer
        answers[place] = answer
        if (answer.status === 'granted') granted += 1
        else if (answer.status !== 'wrong-kind') contended.add(requests[place]!.name)
      }
      const sharedDone = shared.length === 0 ? undefined : batch.full(shared, calls.acquireSharedCall, put)
      if (fast.length > 0) {
        await batch.fast(fast, takeMutexesCall, (place, fence: number) => {
          if (fence === 0) full.push(place)
          else {
            granted += 1
            answers[place] = { status: 'granted', fence: BigInt(fence) }
          }
        })
      }
      if (full.length > 0) await batch.full(full.sort(ascending), calls.acquireMutexCall, put)
      await sharedDone
      context.weeder.onGranted(granted)
      return { at: batch.at, answers }
    },

    async acquireTogether(requests: readonly LeaseRequest[]): Promise<Answers<TogetherAnswer>> {
      if (requests.length === 0) return nothing(commands)
      const call = calls.acquireTogetherCall(space, requests)
      const [at, ...raw] = (await commands.run(call.script, call.keys, call.args)) as [string, ...RawAnswer[]]
      return { at: Number(at) / 1_000, answers: raw.map(decodeAnswer) }
    },

    async renew(leases): Promise<Answers<'renewed' | 'lost'>> {
      if (leases.length === 0) return nothing(commands)
      const { fast: mutexes, full: further, shared } = ways(leases, () => true)
      const batch = new Batch(context, leases)
      const answers = new Array<'renewed' | 'lost'>(leases.length)
      const put = (place: number, raw: number): void => {
        answers[place] = raw === 0 ? 'lost' : 'renewed'
        if (raw === 2) contended.add(leases[place]!.name)
      }
      await Promise.all([
        batch.full(mutexes.concat(further), calls.renewMutexCall, put),
        batch.full(shared, calls.renewSharedCall, put),
      ])
      return { at: batch.at, answers }
    },

    async release(leases): Promise<Answers<'released' | 'gone'>> {
      if (leases.length === 0) return nothing(commands)
      const { fast, full, shared } = ways(leases, () => true)
      const batch = new Batch(context, leases)
      const answers = new Array<'released' | 'gone'>(leases.length)
      let released = 0
      const put = (place: number, raw: number): void => {
        answers[place] = raw === 1 ? 'released' : 'gone'
        released += raw
      }
      const sharedDone = shared.length === 0 ? undefined : batch.full(shared, calls.releaseSharedCall, put)
      if (fast.length > 0) {
        await batch.fast(fast, dropMutexesCall, (place, raw: number) => {
          if (raw < 2) return put(place, raw)
          if (raw === 2) contended.add(leases[place]!.name)
          full.push(place)
        })
      }
      if (full.length > 0) await batch.full(full.sort(ascending), calls.releaseMutexCall, put)
      await sharedDone
      context.weeder.onReleased(released)
      return { at: batch.at, answers }
    },

    async listen(address, listener) {
      const close = await subscriptions.add(space.channel + address, {
        onMessage(message) {
          const notice = decodeNotice(message)
          if (notice === undefined) return
          if (notice.kind === 'granted') contended.add(notice.name)
          listener.onNotice(notice)
        },
        onGap: () => listener.onGap(),
      })
      return { close }
    },
  }
}

const ascending = (one: number, two: number): number => one - two

async function nothing(commands: Commands): Promise<{ at: number; answers: [] }> {
  const [seconds, microseconds] = (await commands.send(['TIME'], 'time')) as [string, string]
  return { at: Number(seconds) * 1_000 + Number(microseconds) / 1_000, answers: [] }
}
