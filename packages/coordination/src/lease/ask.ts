import { InvalidOption } from '@lockstep/base'
import type { HolderInfo, TryOptions } from './lease.ts'
import type { LockKind, Share } from './lease-provider.ts'

/** What one `acquire` or `tryAcquire` wants, checked and with every default in place. */
export interface Ask {
  readonly name: string
  readonly kind: LockKind
  readonly share: Share
  readonly ttlMs: number
  readonly renews: boolean
  readonly waitMs: number
  readonly priority: number
  /** A place of its own in the store and no passing on: fair, or with something that must stand in the store as it is. */
  readonly alone: boolean
  /** `HolderInfo` as JSON. */
  readonly holder: string
  readonly signal: AbortSignal | undefined
}

/** What is the same for every asking of one lock. */
export interface AskDefaults {
  readonly name: string
  readonly kind: LockKind
  readonly share: Share
  readonly ttlMs: number
  readonly fair: boolean
  readonly self: HolderInfo
  /** `self` as JSON. */
  readonly holder: string
}

const SHORTEST_TTL_MS = 50
const LONGEST_TTL_MS = 86_400_000
const MOST_META_BYTES = 4_096

export function resolveAsk(defaults: AskDefaults, options: TryOptions, defaultWaitMs: number): Ask {
  const { waitMs = defaultWaitMs, signal, ttlMs = defaults.ttlMs, renew = true, priority = 0, meta } = options
  checkTtlMs(ttlMs)
  checkWaitMs(waitMs)
  if (!Number.isInteger(priority) || Math.abs(priority) > 1_000) {
    throw new InvalidOption({ option: 'priority', rule: 'a whole number from -1000 to 1000', value: priority })
  }
  return {
    name: defaults.name,
    kind: defaults.kind,
    share: defaults.share,
    ttlMs,
    renews: renew,
    waitMs,
    priority: defaults.fair ? 0 : priority,
    alone: defaults.fair || !renew || meta !== undefined || ttlMs !== defaults.ttlMs,
    holder: meta === undefined ? defaults.holder : holderText(defaults.self, meta),
    signal,
  }
}

export function checkTtlMs(ttlMs: number): number {
  if (typeof ttlMs === 'number' && ttlMs >= SHORTEST_TTL_MS && ttlMs <= LONGEST_TTL_MS) return ttlMs
  throw new InvalidOption({ option: 'ttlMs', rule: `${SHORTEST_TTL_MS} to ${LONGEST_TTL_MS} ms`, value: ttlMs })
}

export function checkWaitMs(waitMs: number): number {
  if (typeof waitMs === 'number' && waitMs >= 0) return waitMs
  throw new InvalidOption({ option: 'waitMs', rule: 'at least 0', value: waitMs })
}

function holderText(self: HolderInfo, meta: unknown): string {
  let text: string | undefined
  try {
    text = JSON.stringify(meta)
  } catch {
    // Circular, or a bigint: the rule below says what is wanted.
  }
  if (text === undefined) throw new InvalidOption({ option: 'meta', rule: 'something that JSON holds' })
  const bytes = Buffer.byteLength(text)
  if (bytes > MOST_META_BYTES) {
    throw new InvalidOption({
      option: 'meta',
      rule: `at most ${MOST_META_BYTES} bytes of JSON`,
      value: `${bytes} bytes`,
    })
  }
  return JSON.stringify({ ...self, meta: JSON.parse(text) })
}
