import { silentLogger, systemClock } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { gatheredBus } from './gathered-bus.ts'

describe('a bus', () => {
  it('fails while nothing can be heard, whether or not anything is sent', async () => {
    let isDeaf = false
    const bus = await gatheredBus({
      ...{ clock: systemClock, logger: silentLogger },
      open: () => ({ send: async () => undefined, isDeaf: () => isDeaf, close: async () => undefined }),
    })
    const said: unknown[] = [bus.isFailing?.()]
    isDeaf = true
    said.push(bus.isFailing?.())
    isDeaf = false
    said.push(bus.isFailing?.())
    await bus.close()
    expect(said).toEqual([false, true, false])
  })
})
