/** In its parts: a text would have to be parsed again, and might hold more than one address. */
export interface MailAddress {
  readonly name: string
  readonly address: string
}

export interface Mail {
  readonly from: MailAddress
  readonly to: readonly MailAddress[]
  readonly cc: readonly MailAddress[]
  readonly bcc: readonly MailAddress[]
  readonly replyTo: MailAddress | undefined
  readonly subject: string
  readonly text: string | undefined
  readonly html: string | undefined
  readonly attachments: readonly MailAttachment[]
  /** With its brackets; the same on every attempt, so that receivers can tell a repetition. */
  readonly messageId: string
}

export interface MailAttachment {
  readonly name: string
  readonly contentType: string
  readonly content: Uint8Array
}

export type MailResult =
  /** Taken over by the server for at least one recipient. */
  | { readonly status: 'sent'; readonly accepted: readonly string[]; readonly rejected: readonly string[] }
  /** Will not be taken, however often it is tried. */
  | { readonly status: 'refused'; readonly reason: string }
  /** Cannot be reached, or asks to come back later. */
  | { readonly status: 'unavailable'; readonly reason: string }

/** Hands mail over to a server. Repeating is the caller's business. */
export interface Mailer {
  /** Sender of mails that name none, as `Name <address>` or an address. */
  readonly from: string | undefined
  send(mail: Mail, signal: AbortSignal): Promise<MailResult>
}
