import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { simulatedStore } from '@lockstep/testing/simulation'
import { expect, it } from 'vitest'
import { Engine } from '../engine.ts'
import { workflow } from './workflow.ts'
import type { AnyWorkflow } from './workflow-context.ts'

it('P5: undoes a first step whose process died before anything of it was recorded, when it is cancelled then', async () => {
  const { direct: store } = simulatedStore({ clock, random })
  const seen: string[] = []
  const order = workflow('order', async (ctx) => {
    await ctx.step('reserve', async () => void seen.push('reserve'), {
      compensate: async () => void seen.push('release'),
    })
    await ctx.waitFor('never')
  }) as AnyWorkflow
  const workflows = [order]
  const dying: typeof store = {
    ...store,
    commits: {
      ...store.commits,
      commit: (batch) => (batch.checkpoints.length > 0 ? new Promise<never>(() => {}) : store.commits.commit(batch)),
    },
  }
  // The cancel comes with the claim, before any of the code has run.
  const prompt: typeof store = {
    ...store,
    agenda: {
      ...store.agenda,
      claim: async (request) => {
        const claims = await store.agenda.claim(request)
        const inboxes = await store.agenda.inbox(claims.map((claim) => claim.instanceId))
        return claims.map((claim) => {
          const found = inboxes.find(({ instanceId }) => instanceId === claim.instanceId)
          return found === undefined ? claim : { ...claim, stim: found.stim, messages: found.messages }
        })
      },
    },
  }
  const first = await Engine.open({ store: dying, clock, random, workflows, name: 'first' })
  const { instanceId } = await first.start({ definitionId: 'order' })
  await expect.poll(() => seen).toEqual(['reserve'])
  expect(await first.cancel(instanceId)).toBe(true)
  await first.close(0)
  const second = await Engine.open({ store: prompt, clock, random, workflows, name: 'second' })
  try {
    expect(await second.waitForEnd(instanceId, { limitMs: 20_000 })).toMatchObject({ status: 'cancelled' })
    expect(seen).toEqual(['reserve', 'reserve', 'release'])
  } finally {
    await second.close(0)
  }
})
