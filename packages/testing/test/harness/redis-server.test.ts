import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { askPort } from '../../src/harness/ask-port.ts'
import { ServerFailed, type ServerHandle, startRedis } from '../../src/harness/index.ts'
import { own } from './own.ts'
import { waitUntil } from './wait-until.ts'

/** Sends inline commands and answers what came back, up to the reply to a last PING. */
async function say(redis: ServerHandle, ...commands: string[]): Promise<string | undefined> {
  const question = [...commands, 'PING', ''].join('\r\n')
  return (await askPort(redis.port, question, (answer) => answer.includes('+PONG\r\n')))?.toString()
}

it('Redis answers, and is empty after kill -9', async () => {
  const redis = await startRedis(own)
  expect(redis.url).toBe(`redis://127.0.0.1:${redis.port}`)
  expect(await say(redis, 'SET a 1', 'GET a')).toContain('$1\r\n1\r\n')
  await redis.kill9()
  expect(await say(redis)).toBeUndefined()
  await redis.start()
  expect(await say(redis, 'GET a')).toContain('$-1\r\n')
  await redis.stop()
})

it('Redis with an append-only file keeps its data over kill -9 and restart', async () => {
  const redis = await startRedis({ ...own, appendonly: true })
  await say(redis, 'SET a 1')
  await redis.kill9()
  await redis.start()
  expect(await say(redis, 'GET a')).toContain('$1\r\n1\r\n')
  await redis.restart()
  expect(await say(redis, 'GET a')).toContain('$1\r\n1\r\n')
  await redis.stop()
})

it('a start waits for its port when something else holds it for a while', async () => {
  const redis = await startRedis(own)
  await redis.kill9()
  const intruder = createServer((socket) => socket.destroy()).listen(redis.port, '127.0.0.1')
  await once(intruder, 'listening')
  const starting = redis.start()
  await waitUntil('a start has failed', () => /address already in use/i.test(redis.log().join('\n')))
  intruder.close()
  await starting
  expect(await say(redis)).toBe('+PONG\r\n')
  await redis.stop()
})

it('Redis is silent while paused and answers afterwards', async () => {
  const redis = await startRedis(own)
  await redis.pause()
  expect(await say(redis)).toBeUndefined()
  await redis.resume()
  expect(await say(redis)).toBe('+PONG\r\n')
  await redis.pause()
  await redis.stop()
})

it('Redis asks for the password it was given and takes further arguments', async () => {
  const redis = await startRedis({ ...own, password: 'a "b" c', args: ['--maxmemory', '8mb'] })
  expect(new URL(redis.url).password).toBe(encodeURIComponent('a "b" c'))
  expect(await say(redis)).toBeUndefined()
  expect(await say(redis, 'AUTH "a \\"b\\" c"', 'CONFIG GET maxmemory')).toContain('8388608')
  await redis.stop()
})

it('a server that cannot start says why, with its own last words', async () => {
  const failure = await startRedis({ ...own, args: ['--no-such-setting', '1'] }).catch((error: unknown) => error)
  if (!ServerFailed.is(failure)) throw failure
  expect(failure.message).toMatch(/Redis failed while starting \(exit code 1\)/)
  expect(failure.details.log.join('\n')).toMatch(/no-such-setting/)
})

it('the handle is disposable', async () => {
  let port: number
  {
    await using redis = await startRedis(own)
    port = redis.port
    expect(await say(redis)).toBe('+PONG\r\n')
  }
  expect(await askPort(port, '', () => true)).toBeUndefined()
})
