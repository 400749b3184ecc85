import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { simulatedStore } from '@lockstep/testing/simulation'
import { expect, it } from 'vitest'
import { Engine } from '../engine.ts'
import { workflow } from '../function/workflow.ts'
import type { AnyWorkflow, WorkflowContext } from '../function/workflow-context.ts'

const SECRET = 'canary-0123456789-abcdefghijklmnopqrstuvwxyz'
/** The message is cut in the middle of the secret. */
const tell = (secret: string): never => {
  throw new Error(`${'x'.repeat(3_980)}${secret}`)
}

it.each<readonly [where: string, run: (ctx: WorkflowContext) => Promise<unknown>]>([
  ['a function throws', async (ctx) => tell(await ctx.secret('k'))],
  ['a step throws', (ctx) => ctx.step('s', async (step) => tell(await step.secret('k')), { retry: { attempts: 1 } })],
  ['a transaction throws', (ctx) => ctx.transaction('t', async () => tell(await ctx.secret('k')))],
])('nothing of a secret is in the message that %s, which is cut', async (_, run) => {
  const simulated = simulatedStore({ clock, random })
  const workflows = [workflow('tells', run) as AnyWorkflow]
  const secrets = async () => ({ value: SECRET, hosts: [] })
  const engine = await Engine.open({ store: simulated.direct, clock, random, workflows, secrets, name: 'one' })
  try {
    const { instanceId } = await engine.start({ definitionId: 'tells' })
    const end = await engine.waitForEnd(instanceId, { limitMs: 20_000 })
    expect(end).toMatchObject({ status: 'faulted', error: { message: expect.stringMatching(/^x{3980}\[secret\]$/) } })
    const rows = simulated.inspect().journal.get(instanceId) ?? []
    expect(rows.map(({ data }) => data).join()).not.toContain(SECRET.slice(0, 6))
  } finally {
    await engine.close(0)
  }
})
