type Document = Readonly<Record<string, unknown>>

const EPOCH = '1970-01-01T00:00:00.000Z'

/**
 * A schedule that begins just after a time does not fire at it, and keeps all its others. The beginning of an interval also sets its phase,
 * unless an anchor does: what set it before becomes the anchor.
 */
export function withoutTime(document: Document, at: string): Document {
  const trigger = (document.trigger ?? {}) as Document
  const startAt = new Date(Date.parse(at) + 1).toISOString()
  if (trigger.interval === undefined) return { ...document, startAt }
  return { ...document, startAt, trigger: { ...trigger, anchor: trigger.anchor ?? document.startAt ?? EPOCH } }
}

/** Why the next time cannot be left out. */
export function cannotSkip(document: Document, owner: string | null, nextAt: string | null): string | undefined {
  if (owner !== null) return 'Its workflow or job brought it: pause it over the time instead.'
  if (((document.trigger ?? {}) as Document).at !== undefined) return 'It fires only once: pause or delete it.'
  return nextAt === null ? 'It has no next time' : undefined
}
