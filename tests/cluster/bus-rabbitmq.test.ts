import { randomBytes } from 'node:crypto'
import { silentLogger, systemClock } from '@lockstep/base'
import { rabbitmqBus } from '@lockstep/rabbitmq'
import { wakeBusContract } from '@lockstep/testing/contracts'
import { type ServerHandle, startRabbitmq } from '@lockstep/testing/harness'
import { afterAll, beforeAll } from 'vitest'
import { busFaults } from './bus-faults.ts'

let server: ServerHandle
beforeAll(async () => {
  server = await startRabbitmq({ quiet: true })
})
afterAll(() => server?.stop())

const newPrefix = (): string => `t${randomBytes(6).toString('hex')}`
const connect = (prefix: string) =>
  rabbitmqBus({ url: server.url, prefix, clock: systemClock, logger: silentLogger, retryMs: 100, patienceMs: 2_000 })

wakeBusContract('RabbitMQ', async () => {
  const prefix = newPrefix()
  return { connect: () => connect(prefix), close: async () => undefined }
})

busFaults(
  () => server,
  () => connect('faults'),
)
