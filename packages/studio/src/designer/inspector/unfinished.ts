import type { Design } from '../model/index.ts'

const texts = new WeakMap<Design, Map<string, string>>()

/** What was typed into a field and is no value yet: it is there again when the field is. */
export function unfinishedOf(design: Design): Map<string, string> {
  const known = texts.get(design)
  if (known !== undefined) return known
  const fresh = new Map<string, string>()
  texts.set(design, fresh)
  return fresh
}
