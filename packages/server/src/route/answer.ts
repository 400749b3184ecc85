/** What an operation answers, before it is written. */
export interface Answer {
  readonly status: number
  /** Not sent with 204. Text, or a stream of it, when `type` is set. */
  readonly body: unknown
  readonly etag?: string
  readonly location?: string
  /** Of a body that is text and not JSON of the reply's schema. */
  readonly type?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** What the audit log says of the change, where it can be told. No secrets. */
  readonly change?: { readonly before: unknown; readonly after: unknown }
  /** Called when the answer has left, or its caller has. Not with an answer that is repeated. */
  readonly onSent?: () => void
}
