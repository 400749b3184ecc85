import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { smtpAddress, smtpMailer } from '../../packages/lockstep/src/mail/smtp-mailer.ts'
import { openTestEngine } from '../engine/open-test-engine.ts'
import { oneStep, retried } from './one-step.ts'

interface Delivered {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
}

/** A real mail server that keeps what it takes. */
async function openMailServer(options: SMTPServerOptions = {}, port = 0) {
  const delivered: Delivered[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        delivered.push({ from, to: rcptTo.map(({ address }) => address), raw: Buffer.concat(chunks).toString() })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const at = (server.server.address() as AddressInfo).port
  return {
    delivered,
    port: at,
    url: `smtp://127.0.0.1:${at}`,
    close: () => new Promise<void>((done) => server.close(done)),
  }
}

const mail = {
  to: ['Ann <ann@example.org>', 'bob@example.org'],
  bcc: 'eve@example.org',
  subject: 'Grüße',
  text: 'Hello',
}

describe('send-email', () => {
  let mailbox: Awaited<ReturnType<typeof openMailServer>>
  beforeEach(async () => {
    mailbox = await openMailServer()
  })
  afterEach(() => mailbox.close())
  const engineOn = (url: string, from: string | undefined = 'Shop <shop@example.org>') =>
    openTestEngine({ outbound: { mailer: smtpMailer({ url, from }) } })

  it('hands a mail over, with a Message-ID of its step', async () => {
    await using t = await engineOn(mailbox.url)
    const attachments = [
      { name: 'a.csv', text: '1;2', contentType: 'text/csv' },
      { name: 'b.bin', base64: 'AAEC' },
    ]
    await t.publish(oneStep('greet', 'send-email', { ...mail, html: '<b>Hello</b>', attachments }))
    const { output } = await t.run('greet')
    expect(mailbox.delivered).toMatchObject([
      { from: 'shop@example.org', to: ['ann@example.org', 'bob@example.org', 'eve@example.org'] },
    ])
    const { raw } = mailbox.delivered[0]!
    const { messageId } = (output as { output: { messageId: string } }).output
    expect(messageId).toMatch(/^<[0-9a-f]{32}@example\.org>$/)
    expect(raw).toContain(`Message-ID: ${messageId}`)
    expect(raw).toContain('To: Ann <ann@example.org>, bob@example.org')
    expect(raw).not.toContain('eve@example.org')
    expect(raw).toContain('filename=a.csv')
    expect(output).toMatchObject({ output: { rejected: [] } })
  })

  it('waits for a server that is down, then becomes a failure; other workflows go on', async () => {
    await using t = await engineOn(mailbox.url)
    await t.publish(oneStep('greet', 'send-email', mail, retried(3)))
    await t.publish({ id: 'strict', activities: [{ id: 'mail', type: 'send-email', inputs: mail }] })
    await mailbox.close()
    const [{ output, instanceId }, faulted] = [await t.run('greet'), await t.run('strict')]
    expect(output).toMatchObject({ error: { code: 'MAIL_UNAVAILABLE' } })
    expect((await t.engine.journal(instanceId)).filter(({ kind }) => kind === 'retrying')).toHaveLength(2)
    expect(faulted).toMatchObject({ status: 'faulted', error: { code: 'MAIL_UNAVAILABLE', step: 'mail' } })
    mailbox = await openMailServer({}, mailbox.port)
    expect(await t.run('greet')).toMatchObject({ status: 'completed', output: { output: {} } })
  })

  it('repeats with the same Message-ID', async () => {
    let count = 0
    const refuseFirst: SMTPServerOptions['onRcptTo'] = (_, __, done) =>
      ++count === 1 ? done(Object.assign(new Error('come back later'), { responseCode: 451 })) : done()
    const ids: string[] = []
    const moody = await openMailServer({
      onRcptTo: refuseFirst,
      onData: (stream, _, done) => {
        let raw = ''
        stream.on('data', (chunk: Buffer) => {
          raw += chunk.toString()
        })
        stream.on('end', () => {
          ids.push(/^Message-ID: (.*)\r$/m.exec(raw)![1]!)
          // Taken, but the answer says no: the sender must come again with the same id.
          done(ids.length === 1 ? Object.assign(new Error('disk full'), { responseCode: 452 }) : undefined)
        })
      },
    })
    await using t = await engineOn(moody.url)
    await t.publish(oneStep('greet', 'send-email', { ...mail, to: 'ann@example.org', bcc: [] }, retried(5)))
    expect(await t.run('greet')).toMatchObject({ output: { output: {} } })
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
    await moody.close()
  })

  it('fails for good when the server says so', async () => {
    const strict = await openMailServer({
      onRcptTo: ({ address }, _, done) =>
        address.startsWith('ann') ? done() : done(Object.assign(new Error('no such user'), { responseCode: 550 })),
    })
    await using t = await engineOn(strict.url)
    await t.publish(oneStep('some', 'send-email', mail))
    expect(await t.run('some')).toMatchObject({
      output: { output: { accepted: ['ann@example.org'], rejected: ['bob@example.org', 'eve@example.org'] } },
    })
    await t.publish(oneStep('none', 'send-email', { ...mail, to: 'bob@example.org' }))
    expect(await t.run('none')).toMatchObject({ output: { error: { code: 'MAIL_REFUSED' } } })
    await strict.close()
  })

  it('refuses what would become another header or another recipient', async () => {
    await using t = await engineOn(mailbox.url)
    await t.publish(
      oneStep('greet', 'send-email', { to: { $expr: 'input.to' }, subject: { $expr: 'input.subject' }, text: 'x' }),
    )
    for (const input of [
      { to: 'ann@example.org', subject: 'x\r\nBcc: eve@example.org' },
      { to: 'ann@example.org\r\nBcc: eve@example.org', subject: 'x' },
      { to: 'ann@example.org, eve@example.org', subject: 'x' },
      { to: [], subject: 'x' },
      { to: 7, subject: 'x' },
    ])
      expect(await t.run('greet', input)).toMatchObject({ output: { error: { code: 'INVALID_INPUT' } } })
    const attachments = ['a', 'b', 'c'].map((name) => ({ name, base64: { $expr: 'input' } }))
    await t.publish(oneStep('large', 'send-email', { ...mail, attachments }))
    expect(await t.run('large', Buffer.alloc(180_000).toString('base64'))).toMatchObject({
      output: { error: { code: 'INVALID_INPUT', message: expect.stringContaining('"attachments" has 540000 bytes') } },
    })
    expect(mailbox.delivered).toEqual([])
  })

  it('says what is missing on a node without a mail server or sender', async () => {
    await using bare = await openTestEngine()
    await bare.publish(oneStep('greet', 'send-email', mail))
    expect(await bare.run('greet')).toMatchObject({ output: { error: { code: 'OUTBOUND_NOT_CONFIGURED' } } })
    await using nameless = await openTestEngine({
      outbound: { mailer: smtpMailer({ url: mailbox.url, from: undefined }) },
    })
    await nameless.publish(oneStep('greet', 'send-email', mail))
    expect(await nameless.run('greet')).toMatchObject({
      output: { error: { message: expect.stringContaining('mailFrom') } },
    })
  })

  it('sends a password over the network only behind TLS', () => {
    expect(smtpAddress('smtp://a:b%40c@mail.example.org')).toEqual({
      ...{ host: 'mail.example.org', port: 587, secure: false, requireTLS: true },
      auth: { user: 'a', pass: 'b@c' },
    })
    expect(smtpAddress('smtps://a:b@mail.example.org')).toMatchObject({ port: 465, secure: true, requireTLS: false })
    expect(smtpAddress('smtp://127.0.0.1:2525')).toMatchObject({ port: 2525, requireTLS: false })
    expect(() => smtpAddress('http://a:pass@x')).toThrow(/"mailUrl" must be a URL such as/)
    expect(() => smtpAddress('http://a:pass@x')).not.toThrow(/a:pass/)
  })
})
