/** Bytes that travel on, after an extra delay if it says so, or something to do when everything before has been delivered. */
export type Passage =
  | { readonly bytes: Buffer; readonly delayMs?: number; readonly act?: undefined }
  | { readonly act: () => void; readonly bytes?: undefined; readonly delayMs?: undefined }

/** Looks at what one sender sent and says what travels on. */
export interface Inspector {
  chunk(bytes: Buffer): readonly Passage[]
  /** The sender finished: whatever was kept back as an unfinished message. */
  end(): readonly Passage[]
}

/** Follows one connection message by message, so that a reply is known by the request it answers. */
export interface Dialogue {
  readonly requests: Inspector
  readonly replies: Inspector
}
