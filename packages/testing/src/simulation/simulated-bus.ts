import type { Clock, Random } from '@lockstep/base'
import type { WakeBus } from '@lockstep/engine/ports'
import type { NodeClock } from './virtual-clock.ts'

export interface BusFaults {
  /** Rate of deliveries that never happen. */
  readonly drop: number
  readonly duplicate: number
  /** Rate of deliveries that take a hundred times as long, and so are overtaken. */
  readonly reorder: number
  readonly latencyMs: readonly [least: number, most: number]
}

/** Wake-ups between nodes that may be lost, come twice, or late. */
export interface SimulatedBus {
  connect(node: NodeClock): WakeBus
  useFaults(faults: Partial<BusFaults>): void
}

const REORDER_FACTOR = 100

export function simulatedBus({ clock, random }: { readonly clock: Clock; readonly random: Random }): SimulatedBus {
  const subscribers = new Set<{ readonly node: NodeClock; readonly listener: (topic: string) => void }>()
  let faults: BusFaults = { drop: 0, duplicate: 0, reorder: 0, latencyMs: [0.1, 2] }

  const deliver = (topic: string): void => {
    for (const subscriber of subscribers) {
      const copies = random.next() < faults.drop ? 0 : random.next() < faults.duplicate ? 2 : 1
      for (let copy = 0; copy < copies; copy += 1) {
        const [least, most] = faults.latencyMs
        const latency = (least + random.next() * (most - least)) * (random.next() < faults.reorder ? REORDER_FACTOR : 1)
        const hand = (): void => {
          if (subscribers.has(subscriber)) subscriber.listener(topic)
        }
        subscriber.node.schedule(latency, hand, { keepAlive: true })
      }
    }
  }
  return {
    connect: (node) => ({
      publish: (topic) => {
        if (node.state !== 'stopped') clock.soon(() => deliver(topic))
      },
      subscribe: (listener) => {
        const subscriber = { node, listener }
        subscribers.add(subscriber)
        return () => void subscribers.delete(subscriber)
      },
    }),
    useFaults: (changed) => {
      faults = { ...faults, ...changed }
    },
  }
}
