import type { JsonObject } from '@lockstep/base'
import {
  ID_HEADER,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
  webhookKey,
  webhookSignature,
} from '../../outbound/webhook/sign-webhook.ts'
import type { ActivityContext, CompletedResult } from '../activity-handler.ts'
import { DEFAULT_MAX_BYTES } from './http-request.ts'
import { matchesStatus } from './http-status.ts'
import { targetUrl } from './http-url.ts'
import { digestOf, done, durationOf, onItsWay } from './outside-step.ts'
import { type HttpServices, unexpected } from './run-http-request.ts'

const DEFAULT_TIMEOUT_MS = 15_000

export async function runWebhook(
  { http, now }: HttpServices,
  inputs: JsonObject,
  { idempotencyKey, signal, secret, holdsSecret, withoutSecrets }: ActivityContext,
): Promise<CompletedResult> {
  const name = String(inputs.secret)
  const target = targetUrl(inputs.url, holdsSecret)
  const key = webhookKey(await secret(name, target.url), name)
  const body = Buffer.from(JSON.stringify({ type: inputs.event, data: inputs.payload ?? null }))
  const id = `msg_${digestOf(idempotencyKey)}`
  const timestamp = String(Math.floor(now() / 1_000))
  const response = await http.send({
    method: 'POST',
    url: target.url,
    headers: {
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'lockstep',
      'idempotency-key': id,
      [ID_HEADER]: id,
      [TIMESTAMP_HEADER]: timestamp,
      [SIGNATURE_HEADER]: webhookSignature(key, id, timestamp, body),
    },
    body,
    maxBytes: DEFAULT_MAX_BYTES,
    timeoutMs: durationOf(inputs.timeout, DEFAULT_TIMEOUT_MS),
    followRedirects: false,
    sensitive: [],
    shownUrl: target.shown,
    signal: onItsWay(signal),
  })
  if (matchesStatus(response.status, undefined)) return done({ status: response.status, id })
  throw unexpected(response, target.shown, now(), { withoutSecrets })
}
