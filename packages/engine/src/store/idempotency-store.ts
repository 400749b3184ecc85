/** Which request a caller means when it says that two are one. */
export interface KeyedRequest {
  readonly tenant: string
  /** Name of the operation: one key may be used once for each. */
  readonly operation: string
  readonly key: string
  /** Of everything that the request says; another one under the same key is a mistake of the caller. */
  readonly fingerprint: string
  /** Of this attempt alone; a uuid. */
  readonly token: string
}

export interface KeptAnswer {
  readonly status: number
  /** JSON text. */
  readonly answer: string
}

export type BeginVerdict =
  /** The key is this attempt's: run the request, then `finish`, `abandon` or `release`. `day`: the same for every attempt until the key is free for anything. */
  | { readonly kind: 'begun'; readonly day: string }
  | { readonly kind: 'answered'; readonly answer: KeptAnswer }
  /** Another attempt has it, for at most so long if it died. */
  | { readonly kind: 'in-progress'; readonly forMs: number }
  | { readonly kind: 'other-request' }

/** What became of requests that carried a key. The store's clock decides how long. */
export interface IdempotencyStore {
  /** `holdMs`: how long an attempt that is never heard of again keeps the key. `keepMs`: how long the key is known. */
  begin(request: KeyedRequest, holdMs: number, keepMs: number): Promise<BeginVerdict>
  /** Keeps the answer. `false`: the time of this attempt was over, and another one has the key. */
  finish(request: KeyedRequest, answer: KeptAnswer): Promise<boolean>
  /** Nothing was done: the key may be used again at once. */
  abandon(request: KeyedRequest): Promise<void>
  /** Whether anything was done is not known: the same request may be tried again at once, and no other. */
  release(request: KeyedRequest): Promise<void>
}
