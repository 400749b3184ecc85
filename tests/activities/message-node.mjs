// A node that starts workflows from messages, in a process of its own. It dies by its own hand right after the start that it was told: the start is
// durable then, and the message is not acknowledged.
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { Engine } from '@lockstep/engine'
import { openPostgres, postgresEngineStore } from '@lockstep/postgres'
import { rabbitmq } from '@lockstep/rabbitmq'
import { MessageTriggers } from '../../packages/lockstep/dist/message-trigger/message-triggers.js'

const { databaseUrl, rabbitmqUrl, dieAfter } = JSON.parse(process.argv[2])
const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const db = await openPostgres({ url: databaseUrl, ...edge })
const engine = await Engine.open({ ...edge, store: postgresEngineStore(db), heartbeatMs: 60, ttlMs: 300 })
let starts = 0
const dying = {
  definitions: engine.definitions,
  start: async (request) => {
    const started = await engine.start(request)
    starts += 1
    if (starts === dieAfter) process.kill(process.pid, 'SIGKILL')
    return started
  },
}
const triggers = new MessageTriggers({
  ...edge,
  engine: dying,
  rabbitmq: rabbitmq({ url: rabbitmqUrl, retryMs: 50 }),
  lookMs: 50,
})
triggers.run()
process.send?.('ready')
