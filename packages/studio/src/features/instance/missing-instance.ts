const UUID_V7 = /^wfi_([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
/** Clocks of nodes do not differ by more. */
const SKEW_MS = 86_400_000

/** When an instance with this id was made: the id says it. `undefined`: nobody here makes such ids, or not yet. */
export function madeAt(id: string, now: number): number | undefined {
  const [, high = '', low = ''] = UUID_V7.exec(id) ?? []
  const at = Number.parseInt(high + low, 16)
  return Number.isNaN(at) || at > now + SKEW_MS ? undefined : at
}

/** What is known of an instance that is not there. */
export type MissingAs =
  /** Somebody did something with it: it was here, and only retention deletes. */
  | { readonly kind: 'deleted'; readonly seenAt: string }
  /** The id could be one of ours. */
  | { readonly kind: 'perhaps'; readonly madeAt: string }
  | { readonly kind: 'never' }

/** `seenAt`: when the audit log last speaks of something done with it. */
export function missingAs(id: string, now: number, seenAt: string | undefined): MissingAs {
  if (seenAt !== undefined) return { kind: 'deleted', seenAt }
  const at = madeAt(id, now)
  return at === undefined ? { kind: 'never' } : { kind: 'perhaps', madeAt: new Date(at).toISOString() }
}
