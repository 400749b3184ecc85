/**
 * Random calls to two stores at once: the one under test and the one in memory, which is simple enough to be believed.
 * Tokens are the same in both, so that answers, queues and messages can be compared; fences, times and holders' texts are not.
 */
import type {
  CoordinationProvider,
  LeaseAnswer,
  LeaseRequest,
  LockKind,
  Share,
  TogetherAnswer,
} from '@lockstep/coordination'
import fc from 'fast-check'
import { expect } from 'vitest'
import { type Bench, type Inbox, inShare, keyOf, newToken, waiting } from '../bench.ts'
import { until } from '../harness.ts'

export interface Pair {
  readonly b: Bench
  readonly tested: { readonly provider: CoordinationProvider; readonly inbox: Inbox }
  readonly reference: { readonly provider: CoordinationProvider; readonly inbox: Inbox }
}

/** What has been asked for with each token that may still hold or wait. */
export interface Asked {
  readonly suffix: string
  readonly slots: Map<string, { readonly request: LeaseRequest; waits: boolean }>
}

export type PairCommand = fc.AsyncCommand<Asked, Pair>

const CLIENTS = 5
const MAX = 4
const KINDS: readonly LockKind[] = ['mutex', 'read-write', 'semaphore', 'semaphore']
const NAMES = ['plain', 'page', 'pool', 'another pool'] as const

function command(name: string, run: PairCommand['run']): PairCommand {
  return { run, check: () => true, toString: () => name }
}

/** What both stores must agree on. */
function gist(answer: LeaseAnswer | TogetherAnswer): object {
  const { status } = answer
  if (status === 'queued') return { status, ahead: answer.ahead }
  if (status === 'too-heavy') return { status, max: answer.max }
  if (status === 'wrong-kind') return { status, inUseAs: answer.inUseAs }
  return { status }
}

async function same<T>(pair: Pair, call: (provider: CoordinationProvider) => Promise<T>): Promise<T> {
  const expected = await call(pair.reference.provider)
  expect(await call(pair.tested.provider)).toEqual(expected)
  return expected
}

async function sameState(pair: Pair, name: string): Promise<void> {
  await same(pair, async (provider) => {
    const state = await provider.registry.read(name)
    const isIdle = state === undefined || state.holders.length + state.waitingCount === 0
    return isIdle
      ? 'idle'
      : {
          kind: state.kind,
          holders: state.holders.map(({ token, share }) => `${token} ${share.kind}`).sort(),
          waiters: state.waiters.map(({ token, share, priority }) => `${token} ${share.kind} ${priority}`),
          max: state.max,
        }
  })
  const told = ({ inbox }: Side): string[] => inbox.notices.map(({ kind, token }) => `${kind} ${token}`).sort()
  const isTold = (): boolean => told(pair.tested).length >= told(pair.reference).length
  await until(pair.b.harness, 'both have told the same', isTold, 3_000)
  expect(told(pair.tested)).toEqual(told(pair.reference))
}

type Side = Pair['tested']

const sideOf = (pair: Pair, provider: CoordinationProvider): Side =>
  provider === pair.tested.provider ? pair.tested : pair.reference

/** Each store sends to an address of its own, whether one waits or not. */
function addressed(request: LeaseRequest, { inbox }: Side): LeaseRequest {
  return { ...request, address: inbox.address }
}

function shareOf(kind: LockKind, choice: number): Share {
  if (kind === 'mutex') return { kind: 'mutex' }
  if (kind === 'read-write') return { kind: choice % 2 === 0 ? 'read' : 'write' }
  return { kind: 'permits', weight: (choice % MAX) + 1, max: MAX }
}

/** The request that this client's token stands for; a new token when it has none. */
function slotOf(asked: Asked, name: number, client: number, choice: number) {
  const key = `${client} ${name}`
  const kind = KINDS[name]!
  const known = asked.slots.get(key)
  if (known !== undefined) return known
  const token = newToken(`c${client}`)
  const request: LeaseRequest = {
    name: `${NAMES[name]!} ${asked.suffix}`,
    kind,
    token,
    share: shareOf(kind, choice),
    ttlMs: 60_000,
    fenceCount: 1,
    holder: '{}',
  }
  const slot = { request, waits: false }
  asked.slots.set(key, slot)
  return slot
}

/** Priority only where one at a time goes in: whether it lets somebody past those who do not fit yet is the store's choice. */
function ask(name: number, client: number, choice: number, waits: boolean, wanted: number): PairCommand {
  const priority = KINDS[name] === 'mutex' ? wanted : 0
  return command(`ask(${[name, client, choice, waits, priority].join()})`, async (asked, pair) => {
    const slot = slotOf(asked, name, client, choice)
    slot.waits ||= waits
    const [{ request }, wait] = [slot, slot.waits]
    const answer = await same(pair, async (provider) => {
      const side = sideOf(pair, provider)
      const asking = wait ? waiting(request, side.inbox, { priority }) : addressed(request, side)
      return gist((await provider.leases.acquire([asking])).answers[0]!)
    })
    if (!['granted', 'queued'].includes((answer as { status: string }).status)) asked.slots.delete(`${client} ${name}`)
    await sameState(pair, request.name)
  })
}

/** A reader wants to write, a writer to read; whoever is neither is asked for it all the same. */
function turn(client: number, to: 'read' | 'write'): PairCommand {
  return command(`turn(${client}, ${to})`, async (asked, pair) => {
    const slot = asked.slots.get(`${client} 1`)
    if (slot === undefined) return
    const { name, token } = slot.request
    const state = await pair.reference.provider.registry.read(name)
    if (state?.holders.every((holder) => holder.token !== token) !== false) return
    const request = inShare(slot.request, { kind: to })
    const answer = await same(pair, async (provider) =>
      gist((await provider.leases.acquire([addressed(request, sideOf(pair, provider))])).answers[0]!),
    )
    if ((answer as { status: string }).status === 'granted') asked.slots.set(`${client} 1`, { request, waits: false })
    await sameState(pair, name)
  })
}

function release(name: number, client: number): PairCommand {
  return command(`release(${name}, ${client})`, async (asked, pair) => {
    const slot = slotOf(asked, name, client, 0)
    asked.slots.delete(`${client} ${name}`)
    await same(pair, async (provider) => (await provider.leases.release([keyOf(slot.request)])).answers)
    await sameState(pair, slot.request.name)
  })
}

function renew(name: number, client: number): PairCommand {
  return command(`renew(${name}, ${client})`, async (asked, pair) => {
    const { request } = slotOf(asked, name, client, 0)
    const renewal = { ...keyOf(request), ttlMs: 60_000 }
    await same(pair, async (provider) => (await provider.leases.renew([renewal])).answers)
  })
}

function together(client: number, choices: readonly number[]): PairCommand {
  return command(`together(${client}, ${choices.join()})`, async (asked, pair) => {
    const slots = choices.map((choice, name) => slotOf(asked, name, client, choice))
    if (slots.some((slot) => slot.waits)) return
    const requests = slots.map((slot) => slot.request)
    await same(pair, async (provider) => {
      const wanted = requests.map((request) => addressed(request, sideOf(pair, provider)))
      return (await provider.leases.acquireTogether(wanted)).answers.map(gist)
    })
    for (const { name } of requests) await sameState(pair, name)
  })
}

function breakLock(name: number): PairCommand {
  return command(`break(${name})`, async (asked, pair) => {
    const full = `${NAMES[name]!} ${asked.suffix}`
    await same(pair, async (provider) => {
      const broken = await provider.registry.break(full, { reason: 'model', by: 'model' })
      return broken.map((holder) => holder.token).sort()
    })
    await sameState(pair, full)
  })
}

function resize(max: number): PairCommand {
  return command(`resize(${max})`, async (asked, pair) => {
    const full = `${NAMES[2]} ${asked.suffix}`
    await same(pair, (provider) => provider.registry.resize(full, max))
    await sameState(pair, full)
  })
}

const names = fc.nat(NAMES.length - 1)
const clients = fc.nat(CLIENTS - 1)
const choices = fc.nat(9)

export const pairCommands: fc.Arbitrary<PairCommand>[] = [
  fc.tuple(names, clients, choices, fc.boolean(), fc.constantFrom(0, 0, 0, 1)).map((args) => ask(...args)),
  fc.tuple(fc.constantFrom(1, 2), clients, choices).map(([name, client, choice]) => ask(name, client, choice, true, 0)),
  fc.tuple(clients, fc.constantFrom('read' as const, 'write' as const)).map((args) => turn(...args)),
  fc.tuple(names, clients).map((args) => release(...args)),
  fc.tuple(names, clients).map((args) => release(...args)),
  fc.tuple(names, clients).map((args) => renew(...args)),
  fc.tuple(clients, fc.tuple(choices, choices, choices)).map((args) => together(...args)),
  names.map(breakLock),
  // Never below the heaviest: what becomes of those who got too heavy has examples of its own.
  fc.integer({ min: MAX, max: 2 * MAX }).map(resize),
]
