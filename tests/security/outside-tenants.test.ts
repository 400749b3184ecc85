/** What an operator configures for steps is the operator's own: other tenants have it when they are named, and do not learn of it before. */
import type { JsonObject } from '@lockstep/base'
import { testTenant } from '@lockstep/engine'
import { cloneDatabase, type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { type Lockstep, lockstep } from 'lockstep'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { readEnvironment } from '../../packages/lockstep/src/options/read-environment.ts'
import { type HttpSink, openHttpSink } from '../activities/http-sink.ts'
import { oneStep } from '../activities/one-step.ts'
import { type MailServer, openMailServer } from '../docs/mail-server.ts'

const NOT_CONFIGURED = 'OUTBOUND_NOT_CONFIGURED'
const BLOCKED = 'OUTBOUND_BLOCKED'

let sink: HttpSink
let mail: MailServer
let redis: ServerHandle
let billing: Awaited<ReturnType<typeof cloneDatabase>>
beforeAll(async () => {
  ;[sink, mail, redis, billing] = await Promise.all([
    openHttpSink(),
    openMailServer(),
    startRedis({ quiet: true }),
    cloneDatabase(inject('postgres')),
  ])
})
afterAll(async () => {
  await Promise.all([sink?.[Symbol.asyncDispose](), mail?.close(), redis?.stop(), billing?.drop()])
})

/** Each uses one thing of the operator's. `refused` is what strangers get. */
const uses: readonly { id: string; type: string; refused: string; inputs: () => JsonObject }[] = [
  {
    ...{ id: 'ask-billing', type: 'sql-query', refused: NOT_CONFIGURED },
    inputs: () => ({ connection: 'billing', query: 'select 1 as one' }),
  },
  { id: 'call-inside', type: 'http-request', refused: BLOCKED, inputs: () => ({ url: `${sink.url}/call` }) },
  {
    ...{ id: 'tell-inside', type: 'webhook', refused: BLOCKED },
    inputs: () => ({ url: `${sink.url}/hook`, event: 'x', secret: 'signing' }),
  },
  {
    ...{ id: 'mail', type: 'send-email', refused: NOT_CONFIGURED },
    inputs: () => ({ to: 'ann@example.org', subject: 'x', text: 'x' }),
  },
  {
    ...{ id: 'shout', type: 'redis-publish', refused: NOT_CONFIGURED },
    inputs: () => ({ channel: 'news', message: 'x' }),
  },
]

interface Site extends AsyncDisposable {
  readonly node: Lockstep
  run(tenant: string, document: { readonly id: string }, how?: 'real' | 'test'): Promise<JsonObject>
}

/** A node as `lockstep server` composes it. */
async function openSite(environment: Record<string, string> = {}): Promise<Site> {
  const database = await cloneDatabase(inject('postgres'))
  const node = await lockstep({
    ...readEnvironment({
      LOCKSTEP_DATABASE_URL: database.url,
      LOCKSTEP_CONNECTIONS: `billing=${billing.url}`,
      LOCKSTEP_OUTBOUND_ALLOW: '127.0.0.1/32',
      LOCKSTEP_MAIL_URL: mail.url,
      LOCKSTEP_MAIL_FROM: 'shop@example.org',
      LOCKSTEP_REDIS_URL: redis.url,
      LOCKSTEP_DRAIN_MS: '500',
      ...environment,
    }),
    secrets: async () => 'sixteen bytes or more',
  })
  const { definitions, testRuns } = node.engine
  return {
    node,
    run: async (tenant, document, how = 'real') => {
      const { id: definitionId } = document
      await definitions.create(tenant, document)
      if (how === 'real') await definitions.publish(tenant, definitionId)
      const { instanceId } =
        how === 'real'
          ? await node.engine.start({ tenant, definitionId })
          : await testRuns.start({ tenant, definitionId })
      const at = how === 'real' ? tenant : testTenant(tenant)
      const end = await node.engine.waitForEnd(instanceId, { tenant: at, limitMs: 60_000 })
      return end!.output as JsonObject
    },
    [Symbol.asyncDispose]: async () => {
      await node.close()
      await database.drop()
    },
  }
}

const traffic = () => [sink.received.length, mail.delivered.length]
const documentOf = ({ id, type, inputs }: (typeof uses)[number], kind: string) =>
  oneStep(`${id}-${kind}`, type, inputs())

describe('what an operator configures for steps', () => {
  it('is for the tenant default alone, in its test runs too', async () => {
    await using site = await openSite()
    for (const use of uses)
      for (const how of ['real', 'test'] as const)
        expect([use.id, how, await site.run('default', documentOf(use, how), how)]).toEqual([
          use.id,
          how,
          { output: expect.anything() },
        ])
    const before = traffic()
    for (const use of uses)
      for (const how of ['real', 'test'] as const)
        expect([use.id, how, await site.run('tenb', documentOf(use, how), how)]).toMatchObject([
          use.id,
          how,
          { error: { code: use.refused, message: expect.stringContaining('outboundTenants') } },
        ])
    expect(traffic()).toEqual(before)
  })

  it('is not told to others: a connection that is there and one that is not read the same', async () => {
    await using site = await openSite()
    const ask = async (tenant: string, connection: string) => {
      const { error } = await site.run(
        tenant,
        oneStep(`ask-${connection}`, 'sql-query', { connection, query: 'select 1' }),
      )
      return String((error as JsonObject).message)
    }
    const guess = await ask('tenb', 'guess')
    expect(guess).not.toMatch(/billing|known/)
    expect(await ask('tenb', 'billing')).toBe(guess.replace('guess', 'billing'))
    expect(await ask('default', 'guess')).toContain('(known: billing)')
  })

  it.each(['acme, tenb', '*'])('is for those too that LOCKSTEP_OUTBOUND_TENANTS names: %s', async (tenants) => {
    await using site = await openSite({ LOCKSTEP_OUTBOUND_TENANTS: tenants })
    for (const use of uses) {
      for (const tenant of ['default', 'tenb'])
        expect([use.id, await site.run(tenant, documentOf(use, 'real'))]).toEqual([
          use.id,
          { output: expect.anything() },
        ])
      expect([use.id, await site.run('tenb', documentOf(use, 'test'), 'test')]).toEqual([
        use.id,
        { output: expect.anything() },
      ])
    }
    const [ask] = uses
    const stranger = await site.run('other', documentOf(ask!, 'real'))
    expect(stranger).toMatchObject(tenants === '*' ? { output: { count: 1 } } : { error: { code: NOT_CONFIGURED } })
  })

  it('opens the database of the engine to no other tenant, whoever is named', async () => {
    await using site = await openSite({ LOCKSTEP_OUTBOUND_TENANTS: '*', LOCKSTEP_SQL_OWN_DATABASE: 'on' })
    const look = (how: string) => oneStep(`look-${how}`, 'sql-query', { query: 'select 1 as one' })
    for (const how of ['real', 'test'] as const) {
      expect(await site.run('tenb', look(how), how)).toMatchObject({ error: { code: NOT_CONFIGURED } })
      expect(await site.run('default', look(how), how)).toMatchObject({ output: { count: 1 } })
    }
  })
})
