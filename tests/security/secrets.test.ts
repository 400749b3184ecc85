/** Secrets of steps: set over REST or the command line, sealed in the store, used by steps, read by nobody. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { systemRandom } from '@lockstep/base'
import { parseSecretKeys, SecretVault, workflow } from '@lockstep/engine'
import { postgresSecrets } from '@lockstep/postgres'
import { type ClonedDatabase, cloneDatabase } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type HttpSink, openHttpSink } from '../activities/http-sink.ts'
import { runIn } from '../cli/open-cli.ts'
import { openEmbeddedEngine } from '../engine/open-test-engine.ts'
import { newKeyText, openSecretSite, type SecretSite } from './secret-site.ts'

const KEY = newKeyText()
const folder = mkdtempSync(path.join(tmpdir(), 'lockstep-secrets-'))

const telling = workflow('telling', async (ctx) => {
  const value = await ctx.secret('api-token')
  const inside = await ctx.step('inside', async (step) => `step ${await step.secret('api-token')}`)
  return { value, inside, length: value.length }
})
const asking = workflow('asking', async (ctx, url: string | null) =>
  ctx.step('ask', async (step) => (await step.secret('bound-token', url ?? undefined)).length),
)
const lacking = workflow('lacking', async (ctx) => ctx.secret('no-such-secret'))

let database: ClonedDatabase
let sink: HttpSink
let site: SecretSite
const open = (keys: string): Promise<SecretSite> =>
  openSecretSite(
    { LOCKSTEP_DATABASE_URL: database.url, LOCKSTEP_SECRET_KEYS: keys, LOCKSTEP_OUTBOUND_ALLOW: '127.0.0.1' },
    { workflows: [telling, lacking, asking] },
  )
beforeAll(async () => {
  database = await cloneDatabase(inject('postgres'))
  sink = await openHttpSink()
  sink.answer = ({ headers, body, url }) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ headers, body, url }),
  })
  site = await open(KEY)
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  await sink?.[Symbol.asyncDispose]()
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

const cli = (words: readonly string[], input?: string) =>
  runIn(folder, { LOCKSTEP_URL: site.url }, words, input === undefined ? {} : { input })
const call = (id: string, inputs: object, more: object = {}) => ({
  id,
  activities: [
    { id: 'call', type: 'http-request', inputs: { url: `${sink.url}/x`, method: 'POST', ...inputs }, ...more },
    { id: 'out', type: 'set-output', inputs: { name: 'got', value: { $expr: 'steps.call.output' } } },
  ],
  connections: [{ from: 'call', to: 'out' }],
})

describe('a secret', () => {
  it('is set and set anew, listed without its value, and taken away', async () => {
    const first = await site.set('api-token', 'first value')
    expect([first.status, first.body.name, first.body.revision]).toEqual([200, 'api-token', 1])
    expect((await site.set('api-token', 'token of the site')).body.revision).toBe(2)
    await site.set('gone-soon', 'whatever it was')
    const listed = await site.send('GET', '/secrets')
    expect(listed.body.items.map(({ name }: { name: string }) => name)).toEqual(['api-token', 'gone-soon'])
    expect(listed.text + first.text).not.toMatch(/first value|token of the site|whatever/)
    expect((await site.send('DELETE', '/secrets/gone-soon')).status).toBe(204)
    expect((await site.send('DELETE', '/secrets/gone-soon')).body.code).toBe('SECRET_NOT_FOUND')
    expect((await site.send('GET', '/secrets/api-token')).status).toBe(405)
  })

  it.each([
    ['a name that could be a password', 'My-Pass1!', { value: 'long enough' }],
    ['a value too short to be kept out of everything', 'short', { value: 'abc' }],
    ['a value with a line end', 'line', { value: 'a line of text\n' }],
    ['no value', 'none', {}],
    ['members that nobody asked for', 'more', { value: 'long enough', tenant: 'other' }],
    ['what is no host', 'hosted', { value: 'long enough', hosts: ['api.example.org', 'https://example.org/x'] }],
  ])('is refused with %s', async (_, name, body) => {
    const told = await site.send('PUT', `/secrets/${encodeURIComponent(name)}`, body)
    expect([told.status, told.body.code]).toEqual([400, 'INVALID_REQUEST'])
    if ('value' in body) expect(told.text).not.toContain(JSON.stringify(body.value).slice(1, -1))
  })

  it('goes where the document sends it, and is masked in what comes back', async () => {
    await site.publish(
      call('use', {
        headers: { authorization: { $secret: 'api-token', prefix: 'Bearer ' }, 'x-plain': 'shown' },
        body: { deep: [{ token: { $secret: 'api-token' } }], text: { $expr: '"said " + input.word' } },
      }),
    )
    const { body } = await site.run('use', { word: 'hello' })
    const came = sink.received.at(-1)!
    expect(came.headers.authorization).toBe('Bearer token of the site')
    expect(JSON.parse(came.body)).toEqual({ deep: [{ token: 'token of the site' }], text: 'said hello' })
    expect(body.status).toBe('completed')
    expect(JSON.stringify(body)).not.toContain('token of the site')
    expect(body.output.got.body.headers).toMatchObject({ authorization: 'Bearer [secret]', 'x-plain': 'shown' })
  })

  it('is never chosen by data', async () => {
    await site.publish(call('chosen', { headers: { $expr: 'input.headers' }, body: { $expr: 'input.body' } }))
    const count = sink.received.length
    const named = { $secret: 'api-token' }
    const sent = await site.run('chosen', { headers: { a: 'b' }, body: { token: named } })
    expect([sent.body.status, JSON.parse(sink.received.at(-1)!.body)]).toEqual(['completed', { token: named }])
    for (const headers of [{ a: { secret: 'api-token' } }, { a: named }])
      expect((await site.run('chosen', { headers, body: 1 })).body.status).toBe('faulted')
    expect(sink.received.length).toBe(count + 1)
  })

  it('for some hosts is sent to them alone, wherever data leads', async () => {
    const bound = { value: 'for one host', hosts: ['127.0.0.1'] }
    expect((await site.send('PUT', '/secrets/bound-token', bound)).body.hosts).toEqual(['127.0.0.1'])
    const header = { authorization: { $secret: 'bound-token' } }
    await site.publish(call('led', { url: { $expr: 'input.url' }, headers: header }))
    const count = sink.received.length
    expect((await site.run('led', { url: `${sink.url}/x` })).body.status).toBe('completed')
    expect(sink.received.at(-1)!.headers.authorization).toBe('for one host')
    // Another name of the same machine, as of an attacker's.
    const elsewhere = sink.url.replace('127.0.0.1', 'localhost')
    for (const url of [elsewhere, 'http://127.0.0.1@example.org/', 'http://example.org/127.0.0.1'])
      expect((await site.run('led', { url })).body.status).toBe('faulted')
    expect(sink.received.length).toBe(count + 1)
    const { text } = await site.send('GET', '/incidents?limit=3')
    expect(text).toContain('may be sent to 127.0.0.1 alone, not to localhost:')
    // A new value keeps its hosts; nowhere to send it is nowhere to have it.
    expect((await site.set('bound-token', 'another value')).body.hosts).toEqual(['127.0.0.1'])
    expect((await site.run('asking')).body.status).toBe('faulted')
    expect((await site.run('asking', `${sink.url}/y`)).body.output).toBe('another value'.length)
    expect((await site.send('PUT', '/secrets/bound-token', { value: 'another value', hosts: [] })).body.hosts).toEqual(
      [],
    )
    expect((await site.run('asking')).body.status).toBe('completed')
  })

  it('cannot be guessed at by who may not send it: what was refused leaves no trace in what is written', async () => {
    const value = 'sk_live_0123456789abcdef'
    await site.send('PUT', '/secrets/bound-pin', { value, hosts: ['api.example.org'] })
    const body = { activities: [call('x', { headers: { a: { $secret: 'bound-pin' } } }).activities[0]] }
    const activities = [
      {
        id: 'try',
        type: 'try',
        body,
        catch: { activities: [{ id: 'never-mind', type: 'log', inputs: { message: 'refused' } }] },
      },
      { id: 'out', type: 'set-output', inputs: { name: 'got', value: { $expr: 'input' } } },
    ]
    const id = 'guessing'
    await site.publish({ id, activities, connections: [{ from: 'try', to: 'out' }] })
    for (const guess of [value, value.slice(0, -1), 'x'.repeat(1_000) + Buffer.from('sk_li').toString('hex')])
      expect((await site.run(id, guess)).body.output).toEqual({ got: guess })
  })

  it('of 64 KB is used, masked, and harms nobody', async () => {
    const value = `CANARY${'0123456789abcdef'.repeat(4_000)}`
    expect((await site.set('large-one', value)).status).toBe(200)
    await site.publish(call('sends-large', { body: [{ $secret: 'large-one' }], unexpectedStatus: 'outcome' }))
    const told = await site.run('sends-large')
    expect([told.body.status, told.text.includes('CANARY')]).toEqual(['completed', false])
    expect(sink.received.at(-1)!.body).toContain(value)
    expect(site.lines.join()).not.toContain('CANARY')
  })

  it('that is not there fails the step with its name and the fix', async () => {
    await site.publish(call('unknown', { body: { $secret: 'no-such-secret' } }))
    const { body } = await site.run('unknown')
    expect(body.status).toBe('faulted')
    const incidents = await site.send('GET', '/incidents?limit=5')
    expect(incidents.text).toContain('SECRET_UNUSABLE')
    expect(incidents.text).toMatch(/no-such-secret.*lockstep secret set no-such-secret/)
  })

  it('is had by functions, anew each time, and is in nothing that they record', async () => {
    const { body } = await site.run('telling')
    expect(body.output).toEqual({ value: '[secret]', inside: 'step [secret]', length: 'token of the site'.length })
    const journal = await site.send('GET', `/workflow-instances/${body.id}/journal`)
    expect(journal.text).toContain('step [secret]')
    expect((await site.run('lacking')).body.status).toBe('faulted')
  })

  it('is had by a transaction of an embedded store, which has one connection', async () => {
    const keys = parseSecretKeys(KEY)
    let vault: SecretVault | undefined
    const secrets = async (name: string, tenant: string) => vault?.read(tenant, name)
    await using embedded = await openEmbeddedEngine({ flights: 1, secrets, outbound: { ownDatabase: true } })
    vault = new SecretVault({ store: postgresSecrets(embedded.db), keys, random: systemRandom })
    await vault.set('default', 'pin-code', { value: 'four nines' }, 'me')
    const inputs = { query: 'select $1::text as v, length($1::text) as n', parameters: [{ $secret: 'pin-code' }] }
    const value = { $expr: 'steps.a.output.rows' }
    await embedded.publish({
      id: 'ask',
      activities: [
        { id: 'a', type: 'sql-query', inputs },
        { id: 'b', type: 'set-output', inputs: { name: 'rows', value } },
      ],
      connections: [{ from: 'a', to: 'b' }],
    })
    expect(await embedded.run('ask')).toMatchObject({ output: { rows: [{ v: '[secret]', n: 10 }] } })
  })

  it('stands in the audit log by name, with who set it', async () => {
    const { body, text } = await site.send('GET', '/audit-log?operation=setSecret')
    expect(body.items[0]).toMatchObject({ operation: 'setSecret' })
    expect(text).toContain('api-token')
    expect(text).not.toMatch(/token of the site|first value/)
  })
})

describe('the command line', () => {
  it('takes values from standard input or a file, never from its arguments', async () => {
    expect(await cli(['secret', 'set', 'from-stdin'], 'piped value\n')).toMatchObject({ code: 0 })
    writeFileSync(path.join(folder, 'value.txt'), 'value of a file\n')
    const ran = await cli(['secret', 'set', 'from-file', '--file', 'value.txt'])
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('from-file: set (revision 1)')])
    const hosted = await cli(['secret', 'set', 'hosted', '--host', 'a.example', '--host', '*.b.example'], 'piped value')
    expect([hosted.code, hosted.out]).toEqual([0, 'hosted: set (revision 1), for a.example, *.b.example\n'])
    expect((await cli(['secret', 'set', 'hosted', '--host', 'a.example', '--anywhere'], 'piped value')).code).toBe(2)
    expect((await cli(['secret', 'set', 'hosted', '--anywhere'], 'piped value')).out).toMatch(/for any host$/m)
    const refused = await cli(['secret', 'set', 'from-argv', 'the value'])
    expect([refused.code === 0, refused.err]).toEqual([false, expect.stringContaining('too many arguments')])
    const listed = await cli(['secret', 'list'])
    expect(listed.out).toMatch(/from-file[\s\S]*from-stdin/)
    expect(listed.out).not.toMatch(/piped value|value of a file/)
    expect((await cli(['secret', 'remove', 'from-file', '--yes'])).code).toBe(0)
  })
})

describe('keys', () => {
  it('are exchanged while everything goes on: a new one seals, the old one opens until all are sealed anew', async () => {
    for (let n = 0; n < 12; n += 1) await site.set(`many-${n}`, `value number ${n}`)
    await site[Symbol.asyncDispose]()
    const next = newKeyText()
    site = await open(`${next},${KEY}`)
    expect((await site.run('telling')).body.output.length).toBe('token of the site'.length)
    const ran = await cli(['secret', 'rotate'])
    expect([ran.code, ran.out]).toEqual([
      0,
      expect.stringMatching(/^1[3-9] sealed anew with key [0-9a-f]{12}\. No other/),
    ])
    await site[Symbol.asyncDispose]()
    site = await open(next)
    expect((await site.run('telling')).body.status).toBe('completed')
    expect((await cli(['secret', 'rotate'])).out).toMatch(/^0 sealed/)
  })

  it('that are gone are named by the step that needs them', async () => {
    await site[Symbol.asyncDispose]()
    site = await open('')
    const { body } = await site.run('telling')
    expect([body.status, (await site.set('x', 'long enough')).body.code]).toEqual(['faulted', 'SECRET_KEYS_MISSING'])
    expect((await site.send('GET', '/incidents?limit=5')).text).toMatch(/was sealed with key.*LOCKSTEP_SECRET_KEYS/)
  })
})
