import { expect, it } from 'vitest'
import {
  cloneDatabase,
  ExternalServer,
  runPsql,
  ServerFailed,
  startPostgres,
  startRabbitmq,
  startRedis,
  templateDatabase,
} from '../../src/harness/index.ts'
import { own } from './own.ts'

it('a server named by the environment is used as it is and cannot be harmed', async () => {
  const ours = await startPostgres(own)
  const external = await startPostgres({ env: { LOCKSTEP_TEST_DATABASE_URL: ours.url }, quiet: true })
  expect(external).toMatchObject({ external: true, url: ours.url, port: ours.port, pid: undefined, folder: undefined })
  for (const verb of ['start', 'restart', 'kill9', 'pause', 'resume'] as const) {
    const failure = await external[verb]().catch((error: unknown) => error)
    expect(ExternalServer.is(failure) && failure.message).toContain('LOCKSTEP_TEST_DATABASE_URL')
  }
  const template = await templateDatabase(external, {
    name: 'external',
    quiet: true,
    migrate: async (url) => void (await runPsql(url, 'migrating', 'create table item (name text);')),
  })
  const clone = await cloneDatabase(template)
  expect(await runPsql(clone.url, 'looking', 'select count(*) from item;')).toEqual(['0'])

  await external.stop()
  expect(await runPsql(ours.url, 'looking', 'select 1;')).toEqual(['1'])
  await ours.stop()
})

it('every server can be external', async () => {
  const ours = await startRedis(own)
  const url = `amqp://user:secret@127.0.0.1:${ours.port}/`
  const env = { LOCKSTEP_TEST_REDIS_URL: ours.url, LOCKSTEP_TEST_RABBITMQ_URL: url }
  expect(await startRedis({ env, quiet: true })).toMatchObject({ external: true, url: ours.url })
  expect(await startRabbitmq({ env, quiet: true })).toMatchObject({ external: true, url })
  await ours.stop()
})

it('an external server that is not there is reported without its password', async () => {
  const ours = await startRedis(own)
  await ours.stop()
  const url = `redis://:secret@127.0.0.1:${ours.port}`
  const failure = await startRedis({ env: { LOCKSTEP_TEST_REDIS_URL: url }, quiet: true }).catch((e: unknown) => e)
  expect(ServerFailed.is(failure) && failure.message).toContain(`127.0.0.1:${ours.port}`)
  expect(String(failure)).not.toContain('secret')
})
