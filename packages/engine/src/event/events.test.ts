import { silentLogger } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import type { StimulusStore } from '../store/stimulus-store.ts'
import { Events } from './events.ts'

const event = { tenant: 't', id: 'e', name: 'paid', correlationId: undefined, payload: 'null', ttlMs: 1_000 }

/** Events of a store that says what it is asked. Each settling takes `settleMs`. */
function publishing(settleMs: number) {
  const time = virtualClock()
  const settledAt: number[] = []
  const stimuli = {
    publish: async () => ({ matched: 0, starts: false }),
    settle: async () => {
      settledAt.push(time.monotonic())
      await new Promise<void>((resolve) => time.schedule(settleMs, resolve))
      return { settled: 0, matched: 0, open: 0 }
    },
  } as unknown as StimulusStore
  const events = new Events({
    stimuli,
    clock: time,
    logger: silentLogger,
    onMatched: () => {},
    pollMs: 1_000,
    ride: (write) => write(undefined),
    triggers: () => ({ fire: async () => 0, recover: async () => 0 }),
  })
  return { time, events, settledAt }
}

describe('settling events', () => {
  it('is not put off by those that come meanwhile', async () => {
    const { time, events, settledAt } = publishing(0)
    for (let i = 0; i < 100; i++) {
      await events.publish(event)
      await time.advance(3)
    }
    expect(settledAt.length).toBeGreaterThan(10)
    events.stop()
  })

  it('looks once more for one that came while it was looking', async () => {
    const { time, events, settledAt } = publishing(50)
    await events.publish(event)
    await time.advance(30)
    await events.publish(event)
    await time.advance(200)
    expect(settledAt).toHaveLength(2)
    events.stop()
  })
})
