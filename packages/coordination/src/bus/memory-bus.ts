import { type Clock, type Logger, silentLogger } from '@lockstep/base'
import { type BusEars, gatheredBus } from './gathered-bus.ts'
import type { OpenWakeBus } from './wake-bus.ts'

/** Nodes of one process that share it tell each other. */
export interface MemoryBus {
  connect(): Promise<OpenWakeBus>
}

/** The reference for the others: whatever one sends all hear, a turn later. */
export function memoryBus({
  clock,
  logger = silentLogger,
}: {
  readonly clock: Clock
  readonly logger?: Logger
}): MemoryBus {
  const everybody = new Set<BusEars>()
  return {
    connect: () =>
      gatheredBus({
        clock,
        logger,
        open: (ears) => {
          everybody.add(ears)
          return {
            send: async (message) =>
              clock.soon(() => {
                for (const each of everybody) each.hear(message)
              }),
            close: async () => void everybody.delete(ears),
          }
        },
      }),
  }
}
