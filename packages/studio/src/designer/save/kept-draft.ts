/** Changes that no server has yet, in the browser's own database: they outlive the page, the tab and the browser. */
export interface KeptDraft {
  /** Of the draft that the changes were made to. */
  readonly etag: string
  /** The document at that etag, as text. */
  readonly base: string
  /** What was being sent when the page was last seen: the server may have it, though the answer never came. */
  readonly sent: string | undefined
  /** To be applied one after the other. */
  readonly updates: readonly Uint8Array[]
}
