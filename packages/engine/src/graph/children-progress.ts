import type { ChildEndedFact, ChildrenWait } from '../journal/fact.ts'
import type { ChildrenProgress, OpenWait } from './graph-state.ts'

/** As many children as may run side by side begin at once; each that ends lets the next one begin. So what runs follows from what has ended. */
export function newChildren({ items, concurrency }: ChildrenWait): ChildrenProgress {
  const next = Math.min(items.length, concurrency)
  return { live: Array.from({ length: next }, (_, index) => index), next, completed: 0, faulted: 0, cancelled: 0 }
}

/** The child is one that runs. */
export function endChild(opened: OpenWait, { index, status }: Pick<ChildEndedFact, 'index' | 'status'>): void {
  const progress = opened.children!
  const { items, failFast } = opened.wait as ChildrenWait
  progress.live.splice(progress.live.indexOf(index), 1)
  if (status === 'completed') progress.completed += 1
  else if (status === 'faulted') progress.faulted += 1
  else progress.cancelled += 1
  if (failFast && status !== 'completed') progress.stopped = true
  if (progress.stopped === undefined && progress.next < items.length) progress.live.push(progress.next++)
}

const TAIL = 0x1_0000_0000_0000

/** Ids count up in their last 48 bits: the same after every replay, and next to one another in an index. */
export function childIdOf(firstId: string, index: number): string {
  const tail = (Number.parseInt(firstId.slice(24), 16) + index) % TAIL
  return `${firstId.slice(0, 24)}${tail.toString(16).padStart(12, '0')}`
}

/** `undefined`: not one of them. There may be fewer children than the index says. */
export function childIndexOf(firstId: string, id: string): number | undefined {
  if (id.slice(0, 24) !== firstId.slice(0, 24)) return undefined
  return (Number.parseInt(id.slice(24), 16) - Number.parseInt(firstId.slice(24), 16) + TAIL) % TAIL
}
