import type { HolderInfo } from '../lease/lease.ts'
import type { HolderView, LockHistoryEntry, LockView, WaiterView } from './lock-monitor.ts'
import type { LockEvent, LockHolder, LockState, LockWaiter } from './lock-registry-provider.ts'
import { readHolder } from './read-holder.ts'

export function lockView(state: LockState): LockView {
  const { name, holders, waiters } = state
  return {
    ...state,
    holders: holders.map((each) => holderView(name, each)),
    waiters: waiters.map((each) => waiterView(name, each)),
  }
}

export const holderView = (lock: string, holder: LockHolder): HolderView => ({ lock, ...withHolder(holder) })
export const waiterView = (lock: string, waiter: LockWaiter): WaiterView => ({ lock, ...withHolder(waiter) })
export const historyEntry = (event: LockEvent): LockHistoryEntry => withHolder(event)

function withHolder<T extends { readonly holder: string }>(
  stored: T,
): Omit<T, 'holder'> & { readonly holder?: HolderInfo } {
  const { holder: text, ...rest } = stored
  const holder = readHolder(text)
  return holder === undefined ? rest : { ...rest, holder }
}
