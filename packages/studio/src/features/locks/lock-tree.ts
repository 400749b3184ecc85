import type { Lock } from '../../api/wire.ts'

export interface LockFolder {
  /** What keys in it begin with, such as `orders/eu/`. */
  readonly prefix: string
  readonly label: string
  readonly depth: number
  readonly count: number
  readonly stale: number
}

const DEEPEST = 3
/** Names of locks have their parts between slashes or colons. */
const PART = /[^/:]*[/:]/g

/** Folders of keys by their prefixes, in order, those inside below the one around them. */
export function lockFolders(locks: readonly Pick<Lock, 'key' | 'state'>[]): readonly LockFolder[] {
  const folders = new Map<string, { count: number; stale: number }>()
  for (const { key, state } of locks) {
    let prefix = ''
    for (const [part] of [...key.matchAll(PART)].slice(0, DEEPEST)) {
      prefix += part
      const { count = 0, stale = 0 } = folders.get(prefix) ?? {}
      folders.set(prefix, { count: count + 1, stale: stale + (state === 'stale' ? 1 : 0) })
    }
  }
  return [...folders.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([prefix, counts]) => {
      const parts = prefix.match(PART) ?? []
      return { prefix, label: parts.at(-1)!, depth: parts.length - 1, ...counts }
    })
}

/** What the page counts of them. */
export function lockFigures(locks: readonly Lock[]): Readonly<Record<'held' | 'waited' | 'stale' | 'inHand', number>> {
  const real = locks.filter(({ kind }) => kind !== 'instance')
  return {
    held: real.filter(({ state }) => state !== 'free').length,
    waited: real.filter(({ waiters, waitingInstances }) => waiters + waitingInstances > 0).length,
    stale: locks.filter(({ state }) => state === 'stale').length,
    inHand: locks.length - real.length,
  }
}

/** Those of one holder, and those that have been held for long enough. */
export function filterLocks(
  locks: readonly Lock[],
  { holder, olderMs }: { readonly holder: string | undefined; readonly olderMs: number },
  now: number,
): readonly Lock[] {
  return locks.filter(
    (lock) =>
      (holder === undefined || lock.holder?.name === holder) &&
      (olderMs === 0 || (lock.acquiredAt !== null && now - Date.parse(lock.acquiredAt) >= olderMs)),
  )
}
