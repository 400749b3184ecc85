/** What the host tells the worker that runs PGlite. Bytes are the PostgreSQL wire protocol, whole messages only. */
export type ToWorker =
  | { readonly kind: 'attach'; readonly epoch: number }
  | { readonly kind: 'bytes'; readonly epoch: number; readonly bytes: Uint8Array }
  | { readonly kind: 'close' }

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'attached'; readonly epoch: number }
  | { readonly kind: 'bytes'; readonly epoch: number; readonly bytes: Uint8Array }
  | { readonly kind: 'closed' }

export interface WorkerStart {
  /** Where PGlite keeps its files; absent: in memory only. */
  readonly folder?: string
  /** A snapshot to begin from when there is nothing yet. */
  readonly snapshot?: string
  /** One 32-bit cell: the epoch of the session that is attached now. Work of an older one is dropped unseen. */
  readonly currentEpoch: SharedArrayBuffer
}
