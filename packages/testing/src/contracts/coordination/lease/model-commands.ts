import type { LeaseRequest } from '@lockstep/coordination'
import fc from 'fast-check'
import { expect } from 'vitest'
import { type Bench, fenceOf, type Inbox, mutex, newToken, waiting } from '../bench.ts'
import { enqueue, isLive, line, type ModelLock, type MutexModel, nextInLine } from './mutex-model.ts'

export interface MutexReal {
  readonly b: Bench
  readonly inbox: Inbox
}

export type MutexCommand = fc.AsyncCommand<MutexModel, MutexReal>

/** Long against what a call takes, so that ticks and the store's clock never disagree. */
export const TICK_MS = 6_000
const TTL_MS = 10_000
const CLIENTS = 4
export const MODEL_NAMES = ['a', 'b:{b}'] as const

function slot(model: MutexModel, client: number, lock: ModelLock): string {
  const key = `${client} ${lock.name}`
  const known = model.tokens.get(key)
  const died = known !== undefined && lock.queue.some((place) => place.token === known && !isLive(model, place))
  if (known !== undefined && !died) return known
  const token = newToken(`client${client}`)
  model.tokens.set(key, token)
  return token
}

function grant(model: MutexModel, lock: ModelLock, token: string, fence: bigint): void {
  expect(fence).toBeGreaterThan(lock.lastFence)
  lock.lastFence = fence
  lock.holder = { token, fence, freshAt: model.tick }
}

async function handOver(model: MutexModel, { b, inbox }: MutexReal, lock: ModelLock): Promise<void> {
  const next = nextInLine(model, lock)
  if (next === undefined) return
  const key = { ...mutex(lock.name), token: next.token }
  await b.until('the grant arrives', () =>
    inbox.notices.some((each) => each.token === next.token && each.kind === 'granted' && each.fence > lock.lastFence),
  )
  const notice = inbox.notices.findLast((each) => each.kind === 'granted' && each.token === key.token)!
  grant(model, lock, next.token, (notice as { fence: bigint }).fence)
}

function command(name: string, run: MutexCommand['run'], check: MutexCommand['check'] = () => true): MutexCommand {
  return { run, check, toString: () => name }
}

const lockOf = (model: MutexModel, name: number): ModelLock => model.locks[name % model.locks.length]!

function ask(name: number, client: number, waits: boolean, priority: number): MutexCommand {
  return command(`ask(${name}, ${client}, ${waits}, ${priority})`, async (model, { b, inbox }) => {
    const lock = lockOf(model, name)
    const token = slot(model, client, lock)
    const place = lock.queue.find((each) => each.token === token)
    const plain = mutex(lock.name, { token, ttlMs: TTL_MS })
    const placed: LeaseRequest = waiting(plain, inbox, {
      priority: place?.priority ?? priority,
      aliveMs: TTL_MS,
      grantTtlMs: TTL_MS,
    })
    const answer = await b.ask(waits || place !== undefined ? placed : plain)
    if (lock.holder?.token === token) {
      expect(answer).toEqual({ status: 'granted', fence: lock.holder.fence })
      lock.holder.freshAt = model.tick
    } else if (place !== undefined) {
      place.freshAt = model.tick
      expect(answer).toMatchObject({ status: 'queued', ahead: line(model, lock).indexOf(place) })
    } else if (lock.holder === undefined) {
      grant(model, lock, token, fenceOf(answer))
    } else if (waits) {
      const added = { token, priority, freshAt: model.tick }
      enqueue(lock, added)
      expect(answer).toMatchObject({ status: 'queued', ahead: line(model, lock).indexOf(added) })
    } else {
      expect(answer.status).toBe('busy')
    }
  })
}

function release(name: number, client: number): MutexCommand {
  return command(`release(${name}, ${client})`, async (model, real) => {
    const lock = lockOf(model, name)
    const token = slot(model, client, lock)
    const isHolder = lock.holder?.token === token
    const place = lock.queue.find((each) => each.token === token)
    const answer = await real.b.release(mutex(lock.name, { token }))
    expect(answer).toBe(isHolder || place !== undefined ? 'released' : 'gone')
    model.tokens.delete(`${client} ${lock.name}`)
    if (place !== undefined) lock.queue = lock.queue.filter((each) => each !== place)
    if (isHolder) await handOver(model, real, lock)
  })
}

function renew(name: number, client: number): MutexCommand {
  return command(`renew(${name}, ${client})`, async (model, { b }) => {
    const lock = lockOf(model, name)
    const token = slot(model, client, lock)
    const holder = lock.holder?.token === token ? lock.holder : undefined
    expect(await b.renew(mutex(lock.name, { token }), TTL_MS)).toBe(holder === undefined ? 'lost' : 'renewed')
    if (holder !== undefined) holder.freshAt = model.tick
  })
}

function breakLock(name: number): MutexCommand {
  return command(`break(${name})`, async (model, real) => {
    const lock = lockOf(model, name)
    const broken = await real.b.provider.registry.break(lock.name, { reason: 'model', by: 'model' })
    expect(broken.map((each) => each.token)).toEqual(lock.holder === undefined ? [] : [lock.holder.token])
    if (lock.holder !== undefined) await handOver(model, real, lock)
  })
}

/** Time passes, and a stranger asks for everything, so that ended leases are noticed. */
function elapse(): MutexCommand {
  return command(
    'elapse()',
    async (model, real) => {
      await real.b.harness.elapse(TICK_MS)
      model.tick += 1
      for (const lock of model.locks) {
        const stranger = mutex(lock.name, { ttlMs: TTL_MS })
        const answer = await real.b.ask(stranger)
        if (lock.holder !== undefined && !isLive(model, lock.holder)) await handOver(model, real, lock)
        if (lock.holder !== undefined) {
          expect(answer.status).toBe('busy')
          continue
        }
        grant(model, lock, stranger.token, fenceOf(answer))
        lock.holder = undefined
        expect(await real.b.release(stranger)).toBe('released')
      }
    },
    (model) => model.canElapse,
  )
}

/** What the monitor sees is what the model says. */
export function look(name: number): MutexCommand {
  return command(`look(${name})`, async (model, { b }) => {
    const lock = lockOf(model, name)
    const state = await b.provider.registry.read(lock.name)
    expect(state?.holders.map((each) => each.token) ?? []).toEqual(lock.holder === undefined ? [] : [lock.holder.token])
    const live = line(model, lock).map((place) => place.token)
    const seen = (state?.waiters ?? []).map((each) => each.token)
    expect(seen.filter((token) => live.includes(token))).toEqual(live)
  })
}

const names = fc.nat(MODEL_NAMES.length - 1)
const clients = fc.nat(CLIENTS - 1)

export const mutexCommands: fc.Arbitrary<MutexCommand>[] = [
  fc.tuple(names, clients, fc.boolean(), fc.constantFrom(0, 0, 1, -1)).map((args) => ask(...args)),
  fc.tuple(names, clients).map((args) => ask(...args, true, 0)),
  fc.tuple(names, clients).map((args) => release(...args)),
  fc.tuple(names, clients).map((args) => renew(...args)),
  names.map(breakLock),
  names.map(look),
  fc.constant(elapse()),
]
