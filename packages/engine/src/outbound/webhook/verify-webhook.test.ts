import { createHmac } from 'node:crypto'
import type { Clock } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { webhookKey, webhookSignature } from './sign-webhook.ts'
import { verifyWebhook } from './verify-webhook.ts'

const secret = 'a secret of more than sixteen bytes'
const clock = { now: () => 1_700_000_000_000 } as Clock
const body = '{"type":"order.paid","data":{"n":1}}'
const signed = (timestamp = '1700000000', text = body, id = 'msg_1', key = secret) => ({
  'Webhook-Id': id,
  'webhook-timestamp': timestamp,
  'WEBHOOK-SIGNATURE': webhookSignature(webhookKey(key), id, timestamp, Buffer.from(text)),
})

describe('a webhook', () => {
  it('is signed as the standard says', () => {
    const expected = createHmac('sha256', secret).update(`msg_1.1700000000.${body}`).digest('base64')
    expect(signed()['WEBHOOK-SIGNATURE']).toBe(`v1,${expected}`)
    const bytes = Buffer.alloc(24, 7)
    expect(Buffer.from(webhookKey(`whsec_${bytes.toString('base64')}`))).toEqual(bytes)
  })

  it('is believed when it is fresh and whole', () => {
    expect(verifyWebhook({ headers: signed(), body }, { secret, clock })).toEqual({
      ok: true,
      id: 'msg_1',
      sentAt: 1_700_000_000_000,
    })
    expect(
      verifyWebhook(
        { headers: signed(), body: Buffer.from(body) },
        { secret: ['another one of sixteen bytes', secret], clock },
      ).ok,
    ).toBe(true)
    const both = { ...signed(), 'WEBHOOK-SIGNATURE': `v1,bm8= ${signed()['WEBHOOK-SIGNATURE']}` }
    expect(verifyWebhook({ headers: both, body }, { secret, clock }).ok).toBe(true)
  })

  it.each([
    ['another body', signed(), `${body} `, 'bad-signature'],
    ['another id', { ...signed(), 'Webhook-Id': 'msg_2' }, body, 'bad-signature'],
    ['another time', { ...signed(), 'webhook-timestamp': '1700000001' }, body, 'bad-signature'],
    ['another secret', signed('1700000000', body, 'msg_1', 'sixteen other bytes'), body, 'bad-signature'],
    ['no signature', { ...signed(), 'WEBHOOK-SIGNATURE': undefined }, body, 'missing-header'],
    ['an empty signature', { ...signed(), 'WEBHOOK-SIGNATURE': '' }, body, 'missing-header'],
    ['no time', { ...signed(), 'webhook-timestamp': 'soon' }, body, 'bad-timestamp'],
    ['an old one', signed('1699999699'), body, 'too-old'],
    ['one from the future', signed('1700000301'), body, 'too-new'],
  ])('is not believed with %s', (_, headers, text, reason) => {
    expect(verifyWebhook({ headers, body: text }, { secret, clock })).toEqual({ ok: false, reason })
  })

  it('is not signed with a secret that can be guessed', () => {
    expect(() => webhookKey('short', 'partner')).toThrow(/"partner" is too short/)
  })
})
