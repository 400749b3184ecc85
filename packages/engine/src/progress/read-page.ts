import type { Part, PartPage, PartStore } from '../store/part-store.ts'

/** Parts that are asked for at once: even the largest of them fit into memory together. */
const AT_ONCE = 20
/** Of JSON. A page that has so much is full, however few parts that are. */
const PAGE_LENGTH = 4 * 1024 * 1024

/**
 * As many parts as were asked for, or as fit into a page. `ended` with the last of them: a page that is full may have more behind it. `undefined`: there
 * is no such instance.
 */
export async function readPage(
  store: Pick<PartStore, 'read'>,
  tenant: string,
  instanceId: string,
  after: number,
  limit: number,
): Promise<PartPage | undefined> {
  const parts: Part[] = []
  for (let length = 0; ; ) {
    const wanted = Math.min(AT_ONCE, limit - parts.length)
    const page = await store.read(tenant, instanceId, parts.at(-1)?.number ?? after, wanted)
    if (page === undefined) return undefined
    parts.push(...page.parts)
    if (page.parts.length < wanted) return { ...page, parts }
    for (const { value } of page.parts) length += JSON.stringify(value).length
    if (parts.length === limit || length >= PAGE_LENGTH) return { ...page, parts, ended: false }
  }
}
