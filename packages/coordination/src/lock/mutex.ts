import type { Lock } from '../lease/lease.ts'
import { LeaseLock, type LockContext } from './lease-lock.ts'
import type { MutexOptions } from './mutex-options.ts'
import { type LockScopes, ReentrantMutex } from './reentrant-mutex.ts'

export function mutex(
  context: LockContext,
  scopes: LockScopes,
  name: string,
  { reentrant = false, fair, ttlMs }: MutexOptions = {},
): Lock {
  const lock = new LeaseLock(context, { name, kind: 'mutex', share: MUTEX, ttlMs, fair })
  return reentrant ? new ReentrantMutex(lock, scopes) : lock
}

const MUTEX = { kind: 'mutex' } as const
