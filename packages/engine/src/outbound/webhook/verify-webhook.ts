import { timingSafeEqual } from 'node:crypto'
import { type Clock, systemClock } from '@lockstep/base'
import { ID_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER, webhookKey, webhookSignature } from './sign-webhook.ts'

export interface ReceivedWebhook {
  /** Names in any case; a list of values counts as its first. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** As it came, before any parser: one changed byte breaks the signature. */
  readonly body: string | Uint8Array
}

export interface VerifyOptions {
  /** Several while one replaces another. */
  readonly secret: string | readonly string[]
  /** How old a delivery may be, and how far ahead its clock. @default 300_000 */
  readonly toleranceMs?: number
  /** @default the machine's own */
  readonly clock?: Clock
}

export type WebhookVerdict =
  /** Remember `id` for as long as you tolerate: a repetition has the same. */
  | { readonly ok: true; readonly id: string; readonly sentAt: number }
  | {
      readonly ok: false
      readonly reason: 'missing-header' | 'bad-timestamp' | 'too-old' | 'too-new' | 'bad-signature'
    }

/** For receivers: whether a request was sent by somebody who has the secret, and lately. */
export function verifyWebhook(webhook: ReceivedWebhook, options: VerifyOptions): WebhookVerdict {
  const { secret, toleranceMs = 300_000, clock = systemClock } = options
  const [id, timestamp, signatures] = [ID_HEADER, TIMESTAMP_HEADER, SIGNATURE_HEADER].map((name) =>
    headerOf(webhook.headers, name),
  )
  if (id === undefined || timestamp === undefined || signatures === undefined)
    return { ok: false, reason: 'missing-header' }
  if (!/^\d{1,12}$/.test(timestamp)) return { ok: false, reason: 'bad-timestamp' }
  const body = typeof webhook.body === 'string' ? Buffer.from(webhook.body) : webhook.body
  const expected = (typeof secret === 'string' ? [secret] : secret).map((each) =>
    webhookSignature(webhookKey(each), id, timestamp, body),
  )
  const given = signatures.split(' ').slice(0, 10)
  if (!expected.some((each) => given.some((one) => isSame(each, one)))) return { ok: false, reason: 'bad-signature' }
  const sentAt = Number(timestamp) * 1_000
  const ageMs = clock.now() - sentAt
  if (ageMs > toleranceMs) return { ok: false, reason: 'too-old' }
  if (ageMs < -toleranceMs) return { ok: false, reason: 'too-new' }
  return { ok: true, id, sentAt }
}

function headerOf(headers: ReceivedWebhook['headers'], name: string): string | undefined {
  const key = Object.keys(headers).find((each) => each.toLowerCase() === name)
  const value = key === undefined ? undefined : headers[key]
  const text = typeof value === 'object' ? value[0] : value
  return text === '' ? undefined : text
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.byteLength === right.byteLength && timingSafeEqual(left, right)
}
