// A bus of a test node over a real server, between which and the node somebody stands who hands over what came twice or three times,
// late, and in another order. Nothing is lost: what is lost, the tests of cut buses have.
import { rabbitmqBus } from '@lockstep/rabbitmq'
import { redisBus } from '@lockstep/redis'

const MOST_COPIES = 3
/** Most come within this time, in any order; every fourth copy comes long after the others. */
const SOON_MS = 60
const LATE_MS = 1_200

const wires = {
  postgres: ({ overPostgres }) => overPostgres(),
  redis: ({ url, prefix, ...edge }) => redisBus({ ...edge, url, prefix }),
  rabbitmq: ({ url, prefix, clock, logger }) => rabbitmqBus({ url, prefix, clock, logger }),
  /** Cut, for good. */
  none: async () => ({ publish: () => {}, subscribe: () => () => {}, close: async () => {} }),
}

export async function openBus({ kind, url, prefix, clock, random, logger, overPostgres }) {
  const bus = await wires[kind]({ url, prefix, clock, random, logger, overPostgres })
  const told = { heard: 0, repeated: 0, overtaken: 0 }
  let newest = 0
  const handOver = (listener, topic, number) => {
    if (number < newest) told.overtaken += 1
    newest = Math.max(newest, number)
    listener(topic)
  }
  const subscribe = (listener) => {
    let isOver = false
    const stop = bus.subscribe((topic) => {
      const number = ++told.heard
      const copies = 1 + Math.floor(random.next() * MOST_COPIES)
      told.repeated += copies - 1
      for (let copy = 0; copy < copies; copy += 1) {
        const delayMs = random.next() * (random.next() < 0.25 ? LATE_MS : SOON_MS)
        clock.schedule(delayMs, () => isOver || handOver(listener, topic, number))
      }
    })
    return () => {
      isOver = true
      stop()
    }
  }
  return { ...bus, subscribe, mischief: () => told }
}
