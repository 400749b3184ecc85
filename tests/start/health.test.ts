/** What `/health/ready` says to anybody of the servers that a node leans on. */
import { type Clock, silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { blackhole, reset, startFaultProxy } from '@lockstep/testing/faults'
import { cloneDatabase, freePort } from '@lockstep/testing/harness'
import { resolveNodeOptions, startNode } from 'lockstep'
import { describe, expect, inject, it } from 'vitest'

/** Servers are asked how they are every 15 s: here at once. */
const hasty: Clock = {
  ...systemClock,
  schedule: (ms, run, how) => systemClock.schedule(ms === 15_000 ? 200 : ms, run, how),
}
const warnings: { readonly message: string; readonly reason: unknown }[] = []
const logger: typeof silentLogger = {
  ...silentLogger,
  warn: (message, fields) => void warnings.push({ message, reason: fields?.reason }),
  area: () => logger,
}
const edge = { clock: hasty, random: systemRandom, logger }

describe('a node that is asked whether it is ready', () => {
  it('is so without Redis, broker and bus, which it names; without its database it is not, and keeps to itself why', async () => {
    await using database = await cloneDatabase(inject('postgres'))
    await using proxy = await startFaultProxy({ target: database.url })
    const nobody = await freePort()
    const options = resolveNodeOptions({
      port: 0,
      databaseUrl: proxy.url(database.url),
      redisUrl: `redis://127.0.0.1:${nobody}`,
      rabbitmqUrl: `amqp://guest:guest@127.0.0.1:${nobody}`,
      bus: 'redis',
    })
    const node = await startNode(options, edge)
    const ask = async () => {
      const answer = await fetch(`${node.url}/health/ready`)
      return { status: answer.status, body: await answer.json() }
    }
    try {
      const put = async (path: string, body: object): Promise<number> => {
        const headers = { 'content-type': 'application/json' }
        return (await fetch(`${node.url}/api/v1${path}`, { method: 'PUT', headers, body: JSON.stringify(body) })).status
      }
      const plain = { id: 'plain', activities: [{ id: 'say', type: 'set-output', inputs: { name: 'a', value: 1 } }] }
      expect(await put('/workflow-definitions/plain', plain)).toBeLessThan(300)
      // What all nodes are told of goes over the bus.
      expect(await put('/flow-policies/plain', { concurrency: { limit: 5 } })).toBeLessThan(300)
      const away = (name: string) => ({ name, ok: false, degraded: true, reason: expect.any(String) })
      await expect.poll(ask, { timeout: 60_000 }).toEqual({
        status: 200,
        body: { status: 'ready', checks: [{ name: 'database', ok: true }, away('redis'), away('broker'), away('bus')] },
      })
      const fault = proxy.use(reset({ newConnections: true }))
      await expect.poll(async () => (await ask()).status, { timeout: 60_000 }).toBe(503)
      const { body } = await ask()
      expect(body).toMatchObject({ status: 'not-ready', checks: [{ name: 'database', ok: false }, {}, {}, {}] })
      const ready = async (): Promise<string[]> =>
        (await (await fetch(`${node.url}/metrics`)).text()).match(/^lockstep_ready\{.*/gm) ?? []
      // Who reads metrics only hears of it too: the answer before holds for five seconds.
      await expect
        .poll(ready, { timeout: 60_000, interval: 500 })
        .toEqual(
          ['node', 'database', 'redis', 'broker', 'bus'].map(
            (part) => `lockstep_ready{part="${part}"} ${part === 'node' ? 1 : 0}`,
          ),
        )
      expect(body.checks[0].reason).toBe('the database does not answer: the log of this node says why')
      const told = warnings.filter(({ message }) => message === 'not ready: the database does not answer')
      // Once for each reason, however often it was asked.
      expect(told.length).toBeGreaterThan(0)
      expect(new Set(told.map(({ reason }) => reason)).size).toBe(told.length)
      await fault.remove()
      await expect.poll(async () => (await ask()).status, { timeout: 60_000 }).toBe(200)
      // One that hangs, and refuses nothing, is away too: probes are told so before they give up by themselves.
      const silence = proxy.use(blackhole())
      const began = performance.now()
      expect((await ask()).body).toMatchObject({
        status: 'not-ready',
        checks: [{ name: 'database', ok: false }, {}, {}, {}],
      })
      expect(performance.now() - began).toBeLessThan(10_000)
      await silence.remove()
      await expect.poll(async () => (await ask()).status, { timeout: 60_000 }).toBe(200)
    } finally {
      await node.stop()
    }
  })
})
