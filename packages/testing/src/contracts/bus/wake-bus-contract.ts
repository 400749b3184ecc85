import type { OpenWakeBus } from '@lockstep/coordination'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

export interface BusHarness {
  /** One more process on the same bus, which listens when this settles. */
  connect(): Promise<OpenWakeBus>
  close(): Promise<void>
}

const LONGEST_MS = 60_000

/** What every bus does while nothing is broken. What it does when something is, the tests of its server say. */
export function wakeBusContract(provider: string, open: () => Promise<BusHarness>): void {
  describe(`${provider}: wake-up bus contract`, () => {
    let harness: BusHarness
    let opened: OpenWakeBus[]
    beforeEach(async () => {
      harness = await open()
      opened = []
    })
    afterEach(async () => {
      await Promise.all(opened.map((bus) => bus.close()))
      await harness.close()
    })

    const connect = async (): Promise<{ readonly bus: OpenWakeBus; readonly heard: string[] }> => {
      const bus = await harness.connect()
      opened.push(bus)
      const heard: string[] = []
      bus.subscribe((topic) => heard.push(topic))
      return { bus, heard }
    }
    const hears = (heard: readonly string[], topic: string): Promise<void> =>
      expect.poll(() => heard, { timeout: LONGEST_MS }).toContain(topic)

    it('tells everybody else, each topic by its name', async () => {
      const [one, two, three] = [await connect(), await connect(), await connect()]
      one.bus.publish('due')
      one.bus.publish('stim:0190-a')
      for (const { heard } of [two, three]) {
        await hears(heard, 'due')
        await hears(heard, 'stim:0190-a')
      }
      three.bus.publish('flow')
      await hears(one.heard, 'flow')
      await hears(two.heard, 'flow')
    })

    it('gathers what is published in one go: a topic that is told a thousand times is heard a few times', async () => {
      const [one, two] = [await connect(), await connect()]
      for (let i = 0; i < 1_000; i += 1) one.bus.publish('due')
      one.bus.publish('last')
      await hears(two.heard, 'last')
      const count = two.heard.filter((topic) => topic === 'due').length
      expect(count).toBeGreaterThanOrEqual(1)
      expect(count).toBeLessThanOrEqual(5)
    })

    it('wakes everybody when there is too much to name, and still tells what is not about one instance', async () => {
      const [one, two] = [await connect(), await connect()]
      for (let i = 0; i < 5_000; i += 1) one.bus.publish(`stim:${i}`)
      one.bus.publish('schedule')
      await hears(two.heard, 'due')
      await hears(two.heard, 'schedule')
      expect(two.heard.length).toBeLessThan(1_000)
    })

    it('tells long names too, and wakes everybody where they are too long for one message', async () => {
      const [one, two] = [await connect(), await connect()]
      const name = (i: number): string => `definition:${`${i}`.padStart(150, 'x')}:1:default`
      one.bus.publish(name(0))
      await hears(two.heard, name(0))
      for (let i = 1; i < 100; i += 1) one.bus.publish(name(i))
      one.bus.publish('definition')
      await hears(two.heard, 'definition')
      await hears(two.heard, 'due')
      one.bus.publish(name(100))
      await hears(two.heard, name(100))
    })

    it('tells a listener nothing more after it has gone', async () => {
      const [one, two] = [await connect(), await connect()]
      const heard: string[] = []
      const stop = two.bus.subscribe((topic) => heard.push(topic))
      one.bus.publish('first')
      await expect.poll(() => heard, { timeout: LONGEST_MS }).toContain('first')
      stop()
      one.bus.publish('second')
      await hears(two.heard, 'second')
      expect(heard).not.toContain('second')
    })

    it('goes on when a listener throws', async () => {
      const [one, two] = [await connect(), await connect()]
      const behind: string[] = []
      two.bus.subscribe(() => {
        throw new Error('a bad listener')
      })
      two.bus.subscribe((topic) => behind.push(topic))
      one.bus.publish('first')
      await hears(behind, 'first')
      one.bus.publish('second')
      await hears(behind, 'second')
      expect(two.heard).toContain('second')
    })

    it('sends what is gathered before it ends, and takes nothing afterwards', async () => {
      const [one, two] = [await connect(), await connect()]
      one.bus.publish('parting')
      await one.bus.close()
      await hears(two.heard, 'parting')
      one.bus.publish('too-late')
      await one.bus.close()
      two.bus.publish('still-there')
      await hears(two.heard, 'still-there')
      expect(two.heard).not.toContain('too-late')
      expect(one.heard).not.toContain('still-there')
    })
  })
}
