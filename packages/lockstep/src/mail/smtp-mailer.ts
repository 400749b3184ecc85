import { abortable, errorCode, errorMessage, InvalidOption } from '@lockstep/base'
import type { Mail, MailAddress, Mailer, MailResult } from '@lockstep/engine'
import { createTransport } from 'nodemailer'
import { Gate } from './gate.ts'

export interface SmtpOptions {
  /** `smtp://user:password@host:587`, or `smtps://` for TLS from the first byte. */
  readonly url: string
  readonly from: string | undefined
}

/** Servers dislike more connections at once than these. */
const MOST_AT_ONCE = 5
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 10_000 }
/** What the server, or our own setting of it, says for good. */
const FOR_GOOD: ReadonlySet<string> = new Set(['EAUTH', 'ENOAUTH', 'EREQUIRETLS', 'EMAXRECIPIENTS', 'ECONFIG'])

export function smtpMailer({ url, from }: SmtpOptions): Mailer {
  const transport = createTransport({
    ...smtpAddress(url),
    ...TIMEOUTS,
    // Content comes from workflows: it must not name files and URLs to be attached.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const gate = new Gate(MOST_AT_ONCE)
  return {
    from,
    send: (mail, signal) =>
      abortable(
        gate.run(signal, async (): Promise<MailResult> => {
          try {
            const { accepted, rejected } = await transport.sendMail(messageOf(mail))
            return { status: 'sent', accepted: accepted.map(addressOf), rejected: rejected.map(addressOf) }
          } catch (error) {
            return failed(error)
          }
        }),
        signal,
      ),
  }
}

/** The messages never repeat the URL: it holds a password. */
export function smtpAddress(text: string) {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const rule = 'a URL such as smtp://user:password@host:587 or smtps://user:password@host'
  if (url === undefined || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    throw new InvalidOption({ option: 'mailUrl', rule })
  const secure = url.protocol === 'smtps:'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const isHere = host === 'localhost' || host === '::1' || host.startsWith('127.')
  const auth =
    url.username === ''
      ? {}
      : { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }
  // A password goes over the network only behind TLS.
  return {
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    ...auth,
    requireTLS: !secure && !isHere && url.username !== '',
  }
}

function messageOf(mail: Mail) {
  const { from, subject, messageId, text, html, replyTo, attachments } = mail
  return {
    ...{ from: { ...from }, subject, messageId },
    to: mail.to.map((each) => ({ ...each })),
    ...(mail.cc.length === 0 ? {} : { cc: mail.cc.map((each) => ({ ...each })) }),
    ...(mail.bcc.length === 0 ? {} : { bcc: mail.bcc.map((each) => ({ ...each })) }),
    ...(replyTo === undefined ? {} : { replyTo: { ...replyTo } }),
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    attachments: attachments.map(({ name, contentType, content }) => ({
      filename: name,
      contentType,
      content: Buffer.from(content),
    })),
  }
}

function addressOf(entry: string | MailAddress): string {
  return typeof entry === 'string' ? entry : entry.address
}

function failed(error: unknown): MailResult {
  const { responseCode } = error as { readonly responseCode?: unknown }
  const reason = errorMessage(error)
  const isForGood = typeof responseCode === 'number' ? responseCode >= 500 : FOR_GOOD.has(errorCode(error) ?? '')
  return { status: isForGood ? 'refused' : 'unavailable', reason }
}
