import { randomUUID } from 'node:crypto'
import type {
  CoordinationProvider,
  LeaseAnswer,
  LeaseKey,
  LeaseNotice,
  LeaseRequest,
  LockKind,
  Place,
  Share,
} from '@lockstep/coordination'
import { expect } from 'vitest'
import { type CoordinationHarness, until } from './harness.ts'

/** Outlives every example. */
export const LONG = 60_000
/** Ends within the patience of an example, and is still long for a busy machine. */
export const SHORT = 300
/** Surely past the end of something that lives `SHORT`. */
export const PAST_SHORT = 450

export interface Bench {
  readonly harness: CoordinationHarness
  readonly provider: CoordinationProvider
  /** Asks for one lease. */
  ask(request: LeaseRequest, provider?: CoordinationProvider): Promise<LeaseAnswer>
  /** Asks for one lease that must be granted; answers its fence. */
  take(request: LeaseRequest, provider?: CoordinationProvider): Promise<bigint>
  renew(key: LeaseKey, ttlMs?: number, provider?: CoordinationProvider): Promise<'renewed' | 'lost'>
  release(key: LeaseKey, provider?: CoordinationProvider): Promise<'released' | 'gone'>
  /** Somebody who gets messages. */
  inbox(provider?: CoordinationProvider): Promise<Inbox>
  until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void>
}

export interface Inbox {
  readonly address: string
  readonly notices: LeaseNotice[]
  readonly gaps: number
  /** The grant of `key` arrives; answers its notice. */
  granted(key: LeaseKey): Promise<Extract<LeaseNotice, { kind: 'granted' }>>
  /** The first message of this kind about `key` arrives. */
  told(kind: LeaseNotice['kind'], key: LeaseKey): Promise<LeaseNotice>
  close(): Promise<void>
}

export function bench(harness: CoordinationHarness): Bench {
  const { provider } = harness
  const ask: Bench['ask'] = async (request, at = provider) => {
    const { answers } = await at.leases.acquire([request])
    expect(answers).toHaveLength(1)
    return answers[0]!
  }
  const wait: Bench['until'] = (what, isSo) => until(harness, what, isSo)
  return {
    harness,
    provider,
    ask,
    take: async (request, at) => fenceOf(await ask(request, at)),
    renew: async (key, ttlMs = LONG, at = provider) => (await at.leases.renew([{ ...keyOf(key), ttlMs }])).answers[0]!,
    release: async (key, at = provider) => (await at.leases.release([keyOf(key)])).answers[0]!,
    inbox: (at = provider) => openInbox(at, wait),
    until: wait,
  }
}

async function openInbox(provider: CoordinationProvider, wait: Bench['until']): Promise<Inbox> {
  const address = randomUUID()
  const notices: LeaseNotice[] = []
  let gaps = 0
  const listening = await provider.leases.listen(address, {
    onNotice: (notice) => void notices.push(notice),
    onGap: () => {
      gaps += 1
    },
  })
  const told = async (kind: LeaseNotice['kind'], key: LeaseKey): Promise<LeaseNotice> => {
    const about = (notice: LeaseNotice): boolean => notice.kind === kind && notice.token === key.token
    await wait(`"${kind}" is told to ${key.token}`, () => notices.some(about))
    const notice = notices.find(about)!
    expect(notice.name).toBe(key.name)
    return notice
  }
  return {
    address,
    notices,
    get gaps() {
      return gaps
    },
    told,
    granted: async (key) => (await told('granted', key)) as Extract<LeaseNotice, { kind: 'granted' }>,
    close: () => listening.close(),
  }
}

/** `undefined` takes a field away. */
type Extra = { readonly [Field in keyof LeaseRequest]?: LeaseRequest[Field] }

let tokens = 0

/** A token nobody used before; the label shows in failures. */
export function newToken(label = 'token'): string {
  tokens += 1
  return `${label}-${tokens}`
}

function request(name: string, kind: LockKind, share: Share, extra: Extra): LeaseRequest {
  const token = extra.token ?? newToken(share.kind)
  return { name, kind, share, token, ttlMs: LONG, fenceCount: 1, holder: holderText(token), ...extra }
}

export function holderText(token: string): string {
  return JSON.stringify({ nodeId: token, node: 'contract', pid: 1, host: 'here', meta: { of: `"${token}" ✓` } })
}

export const mutex = (name: string, extra: Extra = {}): LeaseRequest => request(name, 'mutex', { kind: 'mutex' }, extra)
export const reader = (name: string, extra: Extra = {}): LeaseRequest =>
  request(name, 'read-write', { kind: 'read' }, extra)
export const writer = (name: string, extra: Extra = {}): LeaseRequest =>
  request(name, 'read-write', { kind: 'write' }, extra)
export const permits = (name: string, weight: number, max: number, extra: Extra = {}): LeaseRequest =>
  request(name, 'semaphore', { kind: 'permits', weight, max }, extra)

/** With a place that lives long; grants by hand-over live long too. */
export function waiting(request: LeaseRequest, inbox: Inbox, extra: Partial<Place> = {}): LeaseRequest {
  const wait = { address: inbox.address, priority: 0, aliveMs: LONG, grantTtlMs: LONG, ...extra }
  return { ...request, address: inbox.address, wait }
}

/** The same holder asks for another share. */
export function inShare(request: LeaseRequest, share: Share): LeaseRequest {
  const { wait: _, ...rest } = request
  return { ...rest, share }
}

export function keyOf({ name, token, kind }: LeaseKey): LeaseKey {
  return { name, token, kind }
}

export function fenceOf(answer: LeaseAnswer | { readonly status: 'free' } | undefined): bigint {
  if (answer?.status !== 'granted') throw new Error(`expected a grant, got ${JSON.stringify(answer)}`)
  expect(typeof answer.fence).toBe('bigint')
  expect(answer.fence).toBeGreaterThan(0n)
  return answer.fence
}

export function expectRising(fences: readonly bigint[]): void {
  for (const [i, fence] of fences.entries()) if (i > 0) expect(fence).toBeGreaterThan(fences[i - 1]!)
}
