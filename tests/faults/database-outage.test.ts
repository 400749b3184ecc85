/** An idle node whose database is away for a while: what callers are told, what health is told, what the log says. */
import { type Logger, systemClock, systemRandom } from '@lockstep/base'
import { Engine, workflow } from '@lockstep/engine'
import { migrate, openPostgres, postgresEngineStore, postgresWakeBus } from '@lockstep/postgres'
import { cloneDatabase, type ServerHandle, startPostgres } from '@lockstep/testing/harness'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from './until.ts'

let server: ServerHandle
beforeAll(async () => {
  server = await startPostgres({ quiet: true, durable: true })
})
afterAll(() => server?.stop())

interface Line {
  readonly level: string
  readonly message: string
  readonly reason: unknown
}

function bookOf(lines: Line[]): Logger {
  const say =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void =>
      void lines.push({ level, message, reason: fields.reason })
  const logger: Logger = {
    ...{ debug: () => {}, info: say('info'), warn: say('warn'), error: say('error') },
    area: () => logger,
  }
  return logger
}

/** Ports and durations make no other reason. */
const kindOf = ({ message, reason }: Line): string => `${message}: ${String(reason).replaceAll(/\d+/g, '#')}`

it('P1: a start is refused and never runs, the bus says that it is deaf, and the log says each thing once', async () => {
  const { url } = await cloneDatabase(server, 'template1')
  const lines: Line[] = []
  const edge = { clock: systemClock, random: systemRandom, logger: bookOf(lines) }
  await using db = await openPostgres({ url, ...edge })
  await migrate(db, { mode: 'auto', ...edge })
  const bus = await postgresWakeBus(db, edge.clock, edge.logger)
  const quick = workflow('quick', async () => 'done')
  const engine = await Engine.open({ ...edge, store: postgresEngineStore(db), bus, name: 'a', workflows: [quick] })
  expect(await engine.waitForEnd((await engine.start({ definitionId: 'quick' })).instanceId)).toMatchObject({
    status: 'completed',
  })
  await until('the bus is well', () => bus.isFailing?.() === false)
  lines.length = 0

  await server.kill9()
  await until('the bus says that it hears nothing', () => bus.isFailing?.() === true)
  await expect(engine.start({ definitionId: 'quick' })).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' })
  await server.start()
  await until('the bus is well again', () => bus.isFailing?.() === false)
  for (const message of ['listening again', 'heartbeats are answered again', 'commits are answered again'])
    await until(message, async () => {
      if (message.startsWith('commits')) await engine.start({ definitionId: 'quick', dedupeKey: 'after' })
      return lines.some((line) => line.message === message)
    })
  const found = await engine.list({ definitionId: 'quick' }, 10)
  expect(found).toHaveLength(2)

  const counts = new Map<string, number>()
  for (const line of lines.filter(({ level }) => level === 'warn'))
    counts.set(kindOf(line), (counts.get(kindOf(line)) ?? 0) + 1)
  expect([...counts].filter(([, count]) => count > 1)).toEqual([])
  await engine.close()
  await bus.close()
})
