import type { MailAddress } from '../../outbound/mailer.ts'
import { badInput } from './outside-step.ts'

/** Neither a list nor a group, no comment, no line end: exactly one mailbox. */
const MAILBOX = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[^\s@<>()[\]\\,;:"\p{Cc}]{1,255}$/u
const NAMED = /^\s*(?:"([^"\\\p{Cc}]*)"|([^<>",;:@\\\p{Cc}]*?))\s*<([^<>]*)>\s*$/u

/** `ann@example.org` or `Ann <ann@example.org>`. What could become two recipients, or another header, is refused. */
export function mailAddress(text: string, field: string): MailAddress {
  const named = NAMED.exec(text)
  const address = named === null ? text.trim() : named[3]!
  if (!MAILBOX.test(address) || /[\r\n]/.test(text))
    throw badInput(
      `input "${field}" must be one address such as ann@example.org or Ann <ann@example.org>, not ${JSON.stringify(text.slice(0, 120))}`,
    )
  return { name: named?.[1] ?? named?.[2] ?? '', address }
}
