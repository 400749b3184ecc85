import { isJsonObject, type Json, type JsonObject } from '@lockstep/base'
import { MailRefused, MailUnavailable, OutboundNotConfigured } from '../../outbound/errors.ts'
import type { MailAttachment, Mailer } from '../../outbound/mailer.ts'
import type { ActivityContext, CompletedResult } from '../activity-handler.ts'
import { mailAddress } from './mail-address.ts'
import { badInput, digestOf, done, listOf, notConfigured, onItsWay, textOf } from './outside-step.ts'

const MOST_ATTACHED = 524_288

export async function runSendEmail(
  mailer: Mailer | undefined,
  inputs: JsonObject,
  { tenant, idempotencyKey, signal }: ActivityContext,
): Promise<CompletedResult> {
  if (mailer === undefined) throw notConfigured(tenant, 'mail server', 'set mailUrl (LOCKSTEP_MAIL_URL)')
  const sender = textOf(inputs.from) ?? mailer.from
  if (sender === undefined)
    throw new OutboundNotConfigured({
      what: 'sender for mails',
      fix: 'set mailFrom (LOCKSTEP_MAIL_FROM), or the input "from"',
    })
  const from = mailAddress(sender, 'from')
  const everybody = (field: 'to' | 'cc' | 'bcc') => listOf(inputs[field]).map((each) => mailAddress(each, field))
  const [to, cc, bcc] = [everybody('to'), everybody('cc'), everybody('bcc')]
  if (to.length === 0) throw badInput('input "to" is empty: name at least one recipient')
  const subject = String(inputs.subject)
  if (/\p{Cc}/u.test(subject)) throw badInput('input "subject" must be one line without control characters')
  const [text, html, replyTo] = [textOf(inputs.text), textOf(inputs.html), textOf(inputs.replyTo)]
  if (text === undefined && html === undefined) throw badInput('a mail needs input "text" or "html"')
  const messageId = `<${digestOf(idempotencyKey)}@${domainOf(from.address)}>`
  const result = await mailer.send(
    {
      ...{ from, to, cc, bcc, subject, text, html, messageId },
      replyTo: replyTo === undefined ? undefined : mailAddress(replyTo, 'replyTo'),
      attachments: attachmentsOf(inputs.attachments),
    },
    onItsWay(signal),
  )
  if (result.status === 'refused') throw new MailRefused({ reason: result.reason })
  if (result.status === 'unavailable') throw new MailUnavailable({ reason: result.reason })
  return done({ messageId, accepted: result.accepted, rejected: result.rejected })
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

function attachmentsOf(given: Json | undefined): readonly MailAttachment[] {
  const list = (Array.isArray(given) ? given : []).filter(isJsonObject).map(attachmentOf)
  const size = list.reduce((sum, { content }) => sum + content.byteLength, 0)
  if (size > MOST_ATTACHED)
    throw badInput(
      `input "attachments" has ${size} bytes, more than ${MOST_ATTACHED}: store them elsewhere and send a link`,
    )
  return list
}

function attachmentOf({ name, text, base64, contentType }: JsonObject): MailAttachment {
  if ((text === undefined) === (base64 === undefined))
    throw badInput(`attachment "${String(name)}" needs either "text" or "base64"`)
  const content = typeof text === 'string' ? Buffer.from(text) : Buffer.from(String(base64), 'base64')
  return { name: String(name), content, contentType: textOf(contentType) ?? 'application/octet-stream' }
}
