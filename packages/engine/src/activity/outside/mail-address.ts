import type { MailAddress } from '../../outbound/mailer.ts'
import { badInput } from './outside-step.ts'

/** Neither a list nor a group, no comment, no line end: exactly one mailbox. */
const MAILBOX = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[^\s@<>()[\]\\,;:"\p{Cc}]{1,255}$/u
const NAME = /^(?:"([^"\\\p{Cc}]*)"|([^<>",;:@\\\p{Cc}]*))$/u

/** `ann@example.org` or `Ann <ann@example.org>`. What could become two recipients, or another header, is refused. */
export function mailAddress(text: string, field: string): MailAddress {
  const { name, address } = partsOf(text.trim())
  if (!MAILBOX.test(address) || /[\r\n]/.test(text))
    throw badInput(
      `input "${field}" must be one address such as ann@example.org or Ann <ann@example.org>, not ${JSON.stringify(text.slice(0, 120))}`,
    )
  return { name, address }
}

/** Taken apart before a pattern looks at it: blanks that could belong to either part would be tried in every way. */
function partsOf(text: string): MailAddress {
  const open = text.endsWith('>') ? text.lastIndexOf('<') : -1
  const named = open === -1 ? null : NAME.exec(text.slice(0, open).trim())
  if (named === null) return { name: '', address: text }
  return { name: named[1] ?? named[2] ?? '', address: text.slice(open + 1, -1) }
}
