import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { cloneDatabase } from '@lockstep/testing/harness'
import { resolveNodeOptions, startNode } from 'lockstep'
import { expect, inject, it } from 'vitest'

const KEY = 'the-first-key-of-this-test-0123456789'
const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }

it('tells administrators what the node runs with, and nobody a secret', async () => {
  const database = await cloneDatabase(inject('postgres'))
  const node = await startNode(
    resolveNodeOptions({
      ...{ port: 0, databaseUrl: database.url, nodeName: 'one', auth: 'keys', apiKey: KEY, concurrency: 7 },
      origins: { concurrency: 'LOCKSTEP_CONCURRENCY', nodeName: '--node-name', apiKey: 'LOCKSTEP_API_KEY_FILE' },
    }),
    edge,
  )
  try {
    const ask = (key: string, headers: Record<string, string> = {}) =>
      fetch(`${node.url}/api/v1/settings`, { headers: { authorization: `Bearer ${key}`, ...headers } })
    const answer = await ask(KEY)
    const text = await answer.text()
    expect(answer.status).toBe(200)
    expect(text).not.toContain(KEY)
    const settings = new Map<string, object>(
      JSON.parse(text).items.map((each: { name: string }) => [each.name, each] as const),
    )
    expect(settings.get('concurrency')).toEqual({
      ...{ name: 'concurrency', variable: 'LOCKSTEP_CONCURRENCY', value: '7', isSecret: false, isSet: true },
      origin: 'LOCKSTEP_CONCURRENCY',
    })
    expect(settings.get('apiKey')).toMatchObject({ value: null, isSecret: true, isSet: true })
    expect(settings.get('heartbeatMs')).toMatchObject({ value: '750', origin: 'default' })
    expect((await ask(KEY, { 'if-none-match': answer.headers.get('etag')! })).status).toBe(304)
    const made = await fetch(`${node.url}/api/v1/api-keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'designer', role: 'designer' }),
    })
    expect((await ask((await made.json()).key)).status).toBe(403)
  } finally {
    await node.stop()
    await database.drop()
  }
})
