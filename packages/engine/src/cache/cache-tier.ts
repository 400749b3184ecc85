/**
 * Keeps texts for all nodes. It may forget them, be away, be slow or bring old ones: whoever reads checks what comes, and asks the
 * store for the rest. Nothing here throws.
 */
export interface CacheTier {
  /** `undefined`: not there, or not told in time. */
  read(key: string): Promise<string | undefined>
  /** Does not wait for it. */
  write(key: string, text: string, ttlMs: number): void
  /** Forgets everything whose key begins like this. */
  clear(start: string): Promise<void>
}
