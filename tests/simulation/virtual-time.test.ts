import { Engine, workflow } from '@lockstep/engine'
import { simulation } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'

const DAY_MS = 86_400_000

/** As a user of the test kit would write it: real workflows, virtual time. */
describe('virtual time', () => {
  it('runs a month of reminders in a moment, each on its day', async () => {
    const sim = simulation({ seed: 1 })
    const node = sim.alone()
    const { clock } = node
    const reminder = workflow('reminder', async (ctx, input: { days: number }) => {
      const sentAt: number[] = []
      for (let day = 1; day <= input.days; day += 1) {
        await ctx.sleep('1d')
        sentAt.push(await ctx.step('remind', async () => clock.now()))
      }
      return sentAt
    })
    const opening = Engine.open({ ...node, workflows: [reminder] })
    await sim.run(1_000)
    const engine = await opening
    const starting = engine.start({ definitionId: 'reminder', input: { days: 30 } })
    await sim.run(1_000)
    const { instanceId } = await starting
    const begunAt = clock.now()

    await sim.run(31 * DAY_MS)
    const instance = sim.store.inspect().instances.get(instanceId)
    expect(instance?.status).toBe('completed')
    const ending = engine.waitForEnd(instanceId, { limitMs: 60_000 })
    await sim.run(1_000)
    const sentAt = (await ending)?.output as number[]
    expect(sentAt).toHaveLength(30)
    expect(sentAt.map((at) => Math.round((at - begunAt) / DAY_MS))).toEqual(
      Array.from({ length: 30 }, (_, day) => day + 1),
    )
    expect(sim.check()).toEqual([])
  })
})
