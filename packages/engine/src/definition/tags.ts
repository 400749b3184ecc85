/** What a tag is made of: at most 40 characters. */
export const TAG_PATTERN = '^[A-Za-z0-9_.:/-]{1,40}$'
export const MOST_TAGS = 20

const tag = new RegExp(TAG_PATTERN)

export const isTag = (value: unknown): value is string => typeof value === 'string' && tag.test(value)

/** Tags of a document as it is parsed, each once. A draft may be unfinished: what is no tag is left out. */
export function tagsIn(document: unknown): readonly string[] {
  const { tags } = (document ?? {}) as { readonly tags?: unknown }
  return Array.isArray(tags) ? [...new Set(tags.filter(isTag))].slice(0, MOST_TAGS) : []
}
