/**
 * Versions that run side by side (P9) must not misread what the other one wrote.
 *
 * The first fact of a journal names what has to be understood to go on with it, where that is more than every version knows. Nodes say what
 * they know when they join, and the store hands nobody a claim on what he cannot read: it waits for a node that can. A change that an earlier
 * version may ignore needs no number.
 *
 * A snapshot is a shortcut: who does not know its format reads the journal from its beginning.
 */

/** 2: steps may be pinned. A version without pins would run them for real. */
export const STATE_FORMAT = 2
export const PINNED_FORMAT = 2

export const SNAPSHOT_FORMAT = 1

/** Of parsed JSON, as it was stored. */
export function isReadableSnapshot(snapshot: unknown): boolean {
  const { format = 1 } = (snapshot ?? {}) as { readonly format?: number }
  return format <= SNAPSHOT_FORMAT
}
