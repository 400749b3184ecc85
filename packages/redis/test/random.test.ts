import { seededRandom } from '@lockstep/base'
import type { CoordinationProvider, LeaseRequest, LockState, Share } from '@lockstep/coordination'
import { type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keysOf, openClient, openProvider } from './open-test-redis.ts'
import { inbox, mutex, place } from './requests.ts'

let server: ServerHandle
beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

const STEPS = 400
const LOOK_AT_KEYS_EVERY = 10
const MAX = 4
const kindOf = { m: 'mutex', s: 'semaphore', p: 'read-write' } as const
const isKept = (key: string): boolean => key.endsWith(':index') || key.includes(':history:') || key.includes(':max:')

/** What must be true of a lock at every moment when nobody has died. */
function check(state: LockState): void {
  const writers = state.holders.filter(({ share }) => share.kind === 'write').length
  if (state.kind === 'mutex') expect(state.holders.length).toBeLessThanOrEqual(1)
  if (writers > 0) expect(state.holders).toHaveLength(1)
  const weightOf = ({ share }: { readonly share: Share }): number => (share.kind === 'permits' ? share.weight : 0)
  const used = state.holders.reduce((sum, each) => sum + weightOf(each), 0)
  expect(used).toBeLessThanOrEqual(MAX)
  const [first] = state.waiters
  if (first === undefined) return
  expect(state.holders.length, 'somebody waits for what nobody holds').toBeGreaterThan(0)
  if (state.kind === 'semaphore') expect(used + weightOf(first)).toBeGreaterThan(MAX)
  if (state.kind === 'read-write' && writers === 0)
    expect(
      state.waiters.some(({ share }) => share.kind === 'write'),
      'readers wait for readers',
    ).toBe(true)
}

async function run(seed: number): Promise<void> {
  const random = seededRandom(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random.next() * from.length)]!
  await using client = await openClient(server.url)
  await client.flushAll()
  const providers = [openProvider({ url: server.url }), openProvider({ url: server.url })]
  const listener = inbox()
  await providers[0]!.leases.listen('all', listener)
  const names = ['m1', 'm2', 's1', 'p1', 'p2']
  const open: LeaseRequest[] = []
  const fences = new Map<string, bigint>()

  const shareOf = (name: string): Share => {
    if (name[0] === 'm') return { kind: 'mutex' }
    if (name[0] === 'p') return random.next() < 0.6 ? { kind: 'read' } : { kind: 'write' }
    return { kind: 'permits', weight: 1 + Math.floor(random.next() * 3), max: MAX }
  }
  const newRequest = (): LeaseRequest => {
    const name = pick(names)
    const kind = kindOf[name[0] as keyof typeof kindOf]
    const wait = random.next() < 0.6 ? { wait: place('all', { priority: pick([0, 0, 1, -1]) }) } : {}
    return mutex(name, { kind, share: shareOf(name), fenceCount: 1 + Math.floor(random.next() * 3), ...wait })
  }
  const step = async (provider: CoordinationProvider): Promise<void> => {
    const dice = random.next()
    if (dice < 0.45) {
      const wanted = Array.from({ length: 1 + Math.floor(random.next() * 4) }, newRequest)
      const { answers } = await provider.leases.acquire(wanted)
      for (const [i, answer] of answers.entries()) {
        if (answer.status === 'granted') {
          expect(answer.fence).toBeGreaterThan(fences.get(wanted[i]!.name) ?? 0n)
          fences.set(wanted[i]!.name, answer.fence)
        }
        if (answer.status !== 'busy') open.push(wanted[i]!)
      }
    } else if (dice < 0.8 && open.length > 0) {
      const ended = Array.from({ length: 1 + Math.floor(random.next() * 3) }, () => pick(open))
      await provider.leases.release(ended)
      for (const each of ended) if (open.includes(each)) open.splice(open.indexOf(each), 1)
    } else if (dice < 0.86 && open.length > 0) {
      await provider.leases.acquire([pick(open)])
    } else if (dice < 0.91 && open.length > 0) {
      const one = pick(open)
      if (one.kind !== 'read-write') return
      const { wait: _, ...rest } = one
      await provider.leases.acquire([{ ...rest, share: { kind: one.share.kind === 'read' ? 'write' : 'read' } }])
    } else if (dice < 0.95) {
      const wanted = names
        .slice(0, 3)
        .map((name) => ({ ...newRequest(), name, kind: kindOf[name[0] as 'm'], share: shareOf(name) }))
      const { answers } = await provider.leases.acquireTogether(wanted)
      const granted = answers.filter(({ status }) => status === 'granted').length
      expect([0, 3]).toContain(granted)
      if (granted === 3) open.push(...wanted)
    } else {
      await provider.registry.break(pick(names), { reason: 'random', by: 'test' })
    }
  }

  for (let i = 0; i < STEPS; i += 1) {
    await step(pick(providers))
    for (const name of names) {
      const state = await pick(providers).registry.read(name)
      if (state !== undefined) check(state)
    }
    if (i % LOOK_AT_KEYS_EVERY !== 0) continue
    const keys = await keysOf(server.url)
    const count = (kind: string): number => keys.filter((key) => key.includes(`:${kind}:`)).length
    expect(count('queue')).toBe(count('places'))
  }
  await providers[0]!.leases.release(open)
  for (const name of names) expect(await providers[0]!.registry.read(name)).toBeUndefined()
  expect((await keysOf(server.url)).filter((key) => !isKept(key))).toEqual([])
  await Promise.all(providers.map((provider) => provider.close()))
}

describe('any sequence of calls', () => {
  it.each([1, 2, 3, 4, 5, 6])('keeps every lock in order and leaves nothing behind, seed %i', (seed) => run(seed))
})
