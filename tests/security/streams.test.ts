import { type Clock, silentLogger, systemClock, systemRandom, toWireId } from '@lockstep/base'
import { workflow } from '@lockstep/engine'
import { type Db, openPostgres, postgresAccess } from '@lockstep/postgres'
import { cloneDatabase } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { parseKey } from '../../packages/server/src/auth/api-key.ts'
import { readRows } from '../faults/read-rows.ts'
import { until } from '../faults/until.ts'
import { type LiveNode, openLiveNode } from '../live/live-nodes.ts'
import { StreamReader } from '../live/read-stream.ts'
import { BOOTSTRAP_KEY, bearer } from './open-secured-api.ts'

const MOST = 3
/** Beats come at once: what is asked at a beat is what counts here. */
const hasty: Clock = { ...systemClock, schedule: (ms, run) => systemClock.schedule(ms === 15_000 ? 100 : ms, run) }
const faulty = workflow('faulty', async (ctx) => ctx.step('boom', async () => Promise.reject(new Error('no'))))

const waits = workflow('waits', async (ctx) => ctx.waitFor('never'))

let database: Awaited<ReturnType<typeof cloneDatabase>>
let keys: Db
let node: LiveNode
beforeAll(async () => {
  database = await cloneDatabase(inject('postgres'))
  keys = await openPostgres({ url: database.url, clock: systemClock, random: systemRandom, logger: silentLogger })
  node = await openLiveNode(database.url, [faulty, waits], {
    clock: hasty,
    streamsEach: MOST,
    access: {
      auth: 'keys',
      store: postgresAccess(keys),
      secret: 'of this test, and of no other',
      bootstrapKey: BOOTSTRAP_KEY,
      passwordCost: 10,
    },
  })
})
afterAll(async () => {
  await node?.close()
  await keys?.close()
  await database?.drop()
})

const send = (method: string, path: string, { as = BOOTSTRAP_KEY, body }: { as?: string; body?: object } = {}) =>
  fetch(`${node.http.url}/api/v1${path}`, {
    method,
    headers: { ...bearer(as), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
async function keyWith(permissions: readonly string[]): Promise<{ readonly key: string }> {
  const made = await send('POST', '/api-keys', { body: { name: 'narrow', role: 'viewer', permissions } })
  expect(made.status).toBe(201)
  return made.json() as never
}
const follow = (key: string, query = ''): Promise<StreamReader> =>
  StreamReader.open(node.http.url, query, undefined, bearer(key))
const refusal = async (key: string, query: string) => {
  const answer = await send('GET', `/streams/events${query}`, { as: key })
  const { code, detail } = (await answer.json()) as { code: string; detail: string }
  return { status: answer.status, code, detail, retryAfter: answer.headers.get('retry-after') }
}

describe('a stream', () => {
  it('carries only the topics that its reader may read', async () => {
    const { key } = await keyWith(['incidents:read', 'schedules:read'])
    const { instanceId } = await node.engine.start({ definitionId: 'faulty', input: {} })
    await node.engine.waitForEnd(instanceId, { limitMs: 60_000 })
    await using all = await follow(BOOTSTRAP_KEY, '?after=1')
    await using narrow = await follow(key, '?after=1')
    const hasIncident = ({ events }: StreamReader): boolean => events.some(({ event }) => event === 'incidents')
    for (const reader of [all, narrow]) await reader.until('the incident is told', hasIncident)
    const topics = ({ events }: StreamReader): string[] => [...new Set(events.map(({ event }) => event))]
    expect(topics(all)).toEqual(expect.arrayContaining(['instances', 'incidents']))
    expect(topics(narrow)).toEqual(['incidents'])
  })

  it('is refused for a topic that was asked for and may not be read, which is named', async () => {
    const { key } = await keyWith(['incidents:read'])
    const told = await refusal(key, '?follow=false&topic=incidents,definitions')
    expect(told).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect(told.detail).toMatch(/definitions:read for the topic definitions/)
    const locks = await refusal(key, '?follow=false&topics=incidents,locks')
    expect([locks.status, locks.detail]).toEqual([403, expect.stringMatching(/locks:read for the topic locks/)])
    const nothing = await keyWith(['retention:read'])
    expect(await refusal(nothing.key, '?follow=false')).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  })

  it('ends at a heartbeat when its reader has lost the right to a part of it', async () => {
    const { key } = await keyWith(['instances:read', 'incidents:read'])
    await using reader = await follow(key)
    await reader.until('it beats', ({ comments }) => comments.filter((each) => each === 'ping').length > 1)
    await keys.transaction((tx) =>
      tx.script(`update api_key set permissions = array['instances:read'] where id = '${parseKey(key)!.id}'`),
    )
    await reader.over()
    expect(reader.comments.at(-1)).toBe('no longer allowed')
    await using again = await follow(key)
    await again.until('it beats', ({ comments }) => comments.includes('ping'))
  })

  it('keeps nobody signed in who has gone away from an open page', async () => {
    const user = { name: 'ana', password: 'correct horse battery', role: 'viewer' }
    expect((await send('POST', '/users', { body: user })).status).toBe(201)
    const signedIn = await send('POST', '/session', { body: { name: user.name, password: user.password } })
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
    await using reader = await StreamReader.open(node.http.url, '', undefined, { cookie })
    const beats = ({ comments }: StreamReader): number => comments.filter((each) => each === 'ping').length
    await reader.until('it beats', (each) => beats(each) > 0)
    await keys.transaction((tx) =>
      tx.script(`update user_session set expires_at = clock_timestamp() + interval '1 hour' where user_name = 'ana'`),
    )
    const before = beats(reader)
    await reader.until('it was asked again', (each) => beats(each) > before + 2)
    const [{ stays } = { stays: true }] = await readRows<{ stays: boolean }>(
      keys,
      `select expires_at > clock_timestamp() + interval '1 hour' as stays from user_session where user_name = 'ana'`,
    )
    expect(stays).toBe(false)
    await keys.transaction((tx) => tx.script(`update user_session set expires_at = clock_timestamp()`))
    await reader.over()
    expect(reader.comments.at(-1)).toBe('no longer allowed')
  })

  it('of what an instance hands out ends at a heartbeat when its reader may not read instances any more', async () => {
    const { key } = await keyWith(['instances:read'])
    const { instanceId } = await node.engine.start({ definitionId: 'waits', input: {} })
    const path = `/workflow-instances/${toWireId('instance', instanceId)}/results/stream`
    const answer = await send('GET', path, { as: key })
    expect(answer.status).toBe(200)
    await keys.transaction((tx) =>
      tx.script(`update api_key set permissions = array['locks:read'] where id = '${parseKey(key)!.id}'`),
    )
    expect((await answer.text()).trim().split('\n').at(-1)).toBe(': no longer allowed')
  })

  it('is one of so many of the same principal; the next one is told to come back, and others are not', async () => {
    const [one, other] = await Promise.all([keyWith(['instances:read']), keyWith(['instances:read'])])
    const open = await Promise.all(Array.from({ length: MOST }, () => follow(one.key)))
    const told = await refusal(one.key, '')
    expect(told).toMatchObject({ status: 429, code: 'RATE_LIMITED', retryAfter: '15' })
    await (await follow(other.key)).close()
    await open.pop()!.close()
    await until(
      'there is room again',
      async () => (await send('GET', '/streams/events?follow=false', { as: one.key })).ok,
      30_000,
    )
    await Promise.all(open.map((reader) => reader.close()))
  })
})
