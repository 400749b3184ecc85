import { InvalidOption } from '@lockstep/base'
import type { LeaseKey, LeaseRenewal, LeaseRequest, Place } from '@lockstep/coordination'
import type { Script } from '../connection/commands.ts'
import { bucketOf, type KeySpace } from '../key/key-space.ts'
import { LockCall } from '../key/lock-call.ts'
import * as scripts from '../scripts/scripts.generated.ts'

/** A script with everything it is called with. */
export interface ScriptCall {
  readonly script: Script
  readonly keys: readonly string[]
  readonly args: readonly string[]
}

type Requests = readonly LeaseRequest[]
const { acquireMutex, acquireShared, acquireTogether, releaseMutex, releaseShared, renewMutex, renewShared } = scripts

export function acquireMutexCall(space: KeySpace, requests: Requests): ScriptCall {
  const call = new LockCall(space)
  for (const request of requests) {
    const bucket = call.bucket(request.name)
    acquireMutex.keys.lease(call.leaseKeys, queueKeys(space, bucket, request.name))
    acquireMutex.args.lease(call.leaseArgs, { bucket: call.number(bucket), ...requestArgs(request) })
  }
  return finish(acquireMutex, call)
}

export function acquireSharedCall(space: KeySpace, requests: Requests): ScriptCall {
  return acquireAnyCall(space, acquireShared, requests)
}

export function acquireTogetherCall(space: KeySpace, requests: Requests): ScriptCall {
  return acquireAnyCall(space, acquireTogether, requests)
}

function acquireAnyCall(
  space: KeySpace,
  script: typeof acquireShared | typeof acquireTogether,
  requests: Requests,
): ScriptCall {
  const call = new LockCall(space)
  for (const request of requests) {
    const bucket = call.bucket(request.name)
    script.keys.lease(call.leaseKeys, allKeys(space, bucket, request.name))
    script.args.lease(call.leaseArgs, { bucket: call.number(bucket), ...requestArgs(request), ...shareArgs(request) })
  }
  return finish(script, call)
}

export function releaseMutexCall(space: KeySpace, leases: readonly LeaseKey[]): ScriptCall {
  const call = new LockCall(space)
  for (const { name, token } of leases) {
    const bucket = call.bucket(name)
    releaseMutex.keys.lease(call.leaseKeys, queueKeys(space, bucket, name))
    releaseMutex.args.lease(call.leaseArgs, { bucket: call.number(bucket), token: tokenLine(token) })
  }
  return finish(releaseMutex, call)
}

export function releaseSharedCall(space: KeySpace, leases: readonly LeaseKey[]): ScriptCall {
  const call = new LockCall(space)
  for (const { name, token } of leases) {
    const bucket = call.bucket(name)
    releaseShared.keys.lease(call.leaseKeys, allKeys(space, bucket, name))
    releaseShared.args.lease(call.leaseArgs, { bucket: call.number(bucket), token: tokenLine(token) })
  }
  return finish(releaseShared, call)
}

export function renewMutexCall(space: KeySpace, leases: readonly LeaseRenewal[]): ScriptCall {
  const keys: string[] = []
  const args: string[] = []
  for (const { name, token, ttlMs } of leases) {
    renewMutex.keys.lease(keys, { lock: space.lock(bucketOf(name), name) })
    renewMutex.args.lease(args, { token: tokenLine(token), ttlMs: wholeMs(ttlMs) })
  }
  return { script: renewMutex, keys, args }
}

export function renewSharedCall(space: KeySpace, leases: readonly LeaseRenewal[]): ScriptCall {
  const keys: string[] = []
  const args: string[] = []
  for (const { name, token, ttlMs } of leases) {
    const bucket = bucketOf(name)
    renewShared.keys.lease(keys, { lock: space.lock(bucket, name), holders: space.holders(bucket, name) })
    renewShared.args.lease(args, { token: tokenLine(token), ttlMs: wholeMs(ttlMs) })
  }
  return { script: renewShared, keys, args }
}

export function queueKeys(space: KeySpace, bucket: number, name: string) {
  return {
    lock: space.lock(bucket, name),
    queue: space.queue(bucket, name),
    places: space.places(bucket, name),
    history: space.history(bucket, name),
  }
}

export function allKeys(space: KeySpace, bucket: number, name: string) {
  return { ...queueKeys(space, bucket, name), holders: space.holders(bucket, name), max: space.max(bucket, name) }
}

/** Redis takes whole milliseconds; more is right, because whoever holds the lease believes in less. */
export function wholeMs(ms: number): number {
  return Math.max(1, Math.ceil(ms))
}

function requestArgs(request: LeaseRequest) {
  const { token, ttlMs, fenceCount, wait } = request
  return {
    token: tokenLine(token),
    ttlMs: wholeMs(ttlMs),
    fenceCount,
    tail: tailOf(request),
    wait: wait === undefined ? '' : placeText(wait),
  }
}

function placeText({ priority, aliveMs, grantTtlMs, address }: Place): string {
  return `${priority} ${wholeMs(aliveMs)} ${wholeMs(grantTtlMs)} ${address}`
}

/** What the scripts keep behind a lease: the address for revocations on a line, then the holder as it is. */
export function tailOf({ address, wait, holder }: LeaseRequest): string {
  return `${line('address', address ?? wait?.address ?? '')}\n${holder}`
}

export function tokenLine(token: string): string {
  return line('token', token)
}

/** The scripts keep it on a line of its own, and `!` in front of a line is theirs. */
function line(option: string, text: string): string {
  if (text.charCodeAt(0) === 33 || text.includes('\n'))
    throw new InvalidOption({ option, rule: 'without line ends, and without "!" in front' })
  return text
}

function shareArgs({ share }: LeaseRequest): { share: string; weight: number; max: number } {
  switch (share.kind) {
    case 'mutex':
      return { share: 'm', weight: 1, max: 1 }
    case 'read':
      return { share: 'r', weight: 1, max: 1 }
    case 'write':
      return { share: 'w', weight: 1, max: 1 }
    case 'permits':
      return { share: 'p', weight: share.weight, max: share.max }
  }
}

function finish(
  script: Script & { readonly args: { readonly once: (to: string[], of: LockCall['head']) => void } },
  call: LockCall,
): ScriptCall {
  const args: string[] = []
  script.args.once(args, call.head)
  return { script, keys: call.keys, args: args.concat(call.leaseArgs) }
}
