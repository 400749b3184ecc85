import { type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { redisPublisher } from '../src/index.ts'
import { openClient } from './open-test-redis.ts'

let server: ServerHandle
beforeAll(async () => {
  server = await startRedis({ quiet: true })
})
afterAll(() => server?.stop())

describe('publishing to Redis', () => {
  it('reaches those who listen, and says how many they are', async () => {
    const publisher = redisPublisher({ url: server.url })
    await using client = await openClient(server.url)
    const heard: string[] = []
    await client.subscribe('news', (text) => heard.push(text))
    expect(await publisher.publish('news', '{"a":"ä"}')).toEqual({ status: 'sent', receivers: 1 })
    expect(await publisher.publish('elsewhere', 'x')).toEqual({ status: 'sent', receivers: 0 })
    await client.unsubscribe('news')
    expect(heard).toEqual(['{"a":"ä"}'])
    await publisher.close()
  })

  it('says that the server is away, and works again when it is back', async () => {
    const publisher = redisPublisher({ url: server.url, connectGraceMs: 100, silenceMs: 500 })
    await publisher.publish('news', 'x')
    await server.kill9()
    expect(await publisher.publish('news', 'x')).toMatchObject({ status: 'unavailable' })
    await server.start()
    while ((await publisher.publish('news', 'x')).status !== 'sent') await new Promise((r) => setTimeout(r, 20))
    const abort = new AbortController()
    abort.abort(new Error('cancelled'))
    await expect(publisher.publish('news', 'x', abort.signal)).rejects.toThrow('cancelled')
    await publisher.close()
  })
})
