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
  /** Somebody did something with it, so it was here. `by`: who deleted it; absent: retention did. */
  | { readonly kind: 'deleted'; readonly seenAt: string; readonly by?: string }
  /** The id could be one of ours. */
  | { readonly kind: 'perhaps'; readonly madeAt: string }
  | { readonly kind: 'never' }

/** The last entry of the audit log about something that was done with it. */
export interface LastTrace {
  readonly at: string | null
  readonly operation: string
  readonly actor: { readonly id: string }
}

export function missingAs(id: string, now: number, trace: LastTrace | undefined): MissingAs {
  if (trace !== undefined && trace.at !== null) {
    const wasDelete = trace.operation === 'deleteWorkflowInstance'
    return { kind: 'deleted', seenAt: trace.at, ...(wasDelete ? { by: trace.actor.id } : {}) }
  }
  const at = madeAt(id, now)
  return at === undefined ? { kind: 'never' } : { kind: 'perhaps', madeAt: new Date(at).toISOString() }
}
