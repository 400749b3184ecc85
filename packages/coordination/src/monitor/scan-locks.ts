import type { LockRegistryProvider, LockState } from './lock-registry-provider.ts'

const PAGE = 500
const MOST = 10_000

/** All locks under a prefix, page by page, up to a limit: `truncated` says that there were more. */
export async function scanLocks(
  registry: LockRegistryProvider,
  prefix: string,
): Promise<{ readonly locks: readonly LockState[]; readonly truncated: boolean }> {
  const locks: LockState[] = []
  let after: string | undefined
  do {
    const page = await registry.list({ prefix, limit: PAGE, ...(after === undefined ? {} : { after }) })
    locks.push(...page.locks)
    after = page.next
  } while (after !== undefined && locks.length < MOST)
  return { locks, truncated: after !== undefined }
}
