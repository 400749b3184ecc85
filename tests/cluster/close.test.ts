/** A node that is closed while its database is away cannot take its row with it. It leaves nothing else behind. */
import { type ServerHandle, startPostgres, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { lockstep } from '../../packages/lockstep/src/lockstep.ts'
import { RedisShell } from '../coordination/redis-shell.ts'
import { until } from '../faults/until.ts'

let postgres: ServerHandle
let redis: ServerHandle
beforeAll(async () => {
  ;[postgres, redis] = await Promise.all([startPostgres({ quiet: true }), startRedis({ quiet: true })])
})
afterAll(() => Promise.all([postgres?.stop(), redis?.stop()]))

it('closing without a database ends, says so, and closes all other connections', { timeout: 240_000 }, async () => {
  await using shell = await RedisShell.open(redis.url)
  const connections = async (): Promise<number> =>
    String(await shell.send('CLIENT', 'LIST'))
      .trim()
      .split('\n').length
  const accelerators = { redisUrl: redis.url, locks: 'redis', bus: 'redis', cache: 'redis' } as const
  const node = await lockstep({ databaseUrl: postgres.url, ...accelerators })
  await (await node.locks.mutex('any').acquire()).release()
  expect(await connections()).toBeGreaterThan(1)
  await postgres.kill9()
  await expect(node.close()).rejects.toMatchObject({ code: expect.stringMatching(/^(CONNECTION_LOST|DATABASE_)/) })
  await until('only the test is connected', async () => (await connections()) === 1)
})
