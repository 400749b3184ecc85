import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { Engine, type EngineLimits, workflow } from '@lockstep/engine'
import { postgresEngineStore } from '@lockstep/postgres'
import { describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../engine/open-test-engine.ts'

const counts = workflow('counts', async (ctx, input: { turns: number; size?: number }) => {
  for (let turn = 0; turn < input.turns; turn += 1) await ctx.step('turn', () => 'x'.repeat(input.size ?? 0))
  return input.turns
})

const loops = {
  id: 'loops',
  activities: [
    {
      id: 'each',
      type: 'for-each',
      inputs: { items: { $expr: 'Array.from({ length: input.turns }, (_, n) => n)' } },
      body: { activities: [{ id: 'one', type: 'log', inputs: { message: 'turn' } }] },
    },
    { id: 'last', type: 'set-output', inputs: { name: 'through', value: true } },
  ],
  connections: [{ from: 'each', to: 'last' }],
}

/** Runs it into the limit, then again on an engine with another limit, after a retry. */
async function breach(
  test: TestEngine,
  definitionId: string,
  input: object,
  code: string,
  raised: Partial<EngineLimits>,
): Promise<void> {
  const { instanceId, status, error } = await test.run(definitionId, input)
  expect({ status, error }).toMatchObject({ status: 'faulted', error: { code } })
  expect((await test.engine.get(instanceId)).incidents).toBeDefined()
  expect(await test.engine.verbs.retry(instanceId)).toMatchObject({ outcome: 'accepted' })
  expect((await test.engine.waitForEnd(instanceId))?.error, 'the limit still holds').toMatchObject({ code })
  await test.engine.close(100)
  const next = await Engine.open({
    ...{ store: postgresEngineStore(test.db), clock, random, workflows: [counts], limits: raised },
  })
  try {
    await next.verbs.retry(instanceId)
    expect((await next.waitForEnd(instanceId, { limitMs: 30_000 }))?.status).toBe('completed')
  } finally {
    await next.close(100)
  }
}

describe('limits of an instance', () => {
  it('stop a journal that grows too long, and let it go on when they were raised; functions', async () => {
    await using test = await openTestEngine({ workflows: [counts], limits: { stepsPerInstance: 20 } })
    await breach(test, 'counts', { turns: 30 }, 'LIMIT_STEPS', { stepsPerInstance: 1_000 })
  })

  it('stop a journal that grows too long, and let it go on when they were raised; graphs', async () => {
    await using test = await openTestEngine({ limits: { stepsPerInstance: 20 } })
    await test.publish(loops)
    await breach(test, 'loops', { turns: 30 }, 'LIMIT_STEPS', {})
  })

  it('stop what remembers too much', async () => {
    await using test = await openTestEngine({ workflows: [counts], limits: { stateBytes: 10_000 } })
    await breach(test, 'counts', { turns: 30, size: 1_000 }, 'LIMIT_STATE', {})
  })

  it('stop a loop that is too wide before its first turn', async () => {
    await using test = await openTestEngine({ limits: { fanOut: 10 } })
    await test.publish(loops)
    await breach(test, 'loops', { turns: 11 }, 'LIMIT_FAN_OUT', {})
  })

  it('stop a loop that never ends, and nothing else', async () => {
    const forever = workflow('forever', async (ctx) => {
      for (;;) await ctx.step('turn', () => 1)
    })
    await using test = await openTestEngine({ workflows: [forever, counts], limits: { stepsPerBurst: 200 } })
    const [stopped, beside] = await Promise.all([test.run('forever'), test.run('counts', { turns: 100 })])
    expect(stopped).toMatchObject({ status: 'faulted', error: { code: 'LIMIT_BURST' } })
    expect(beside).toMatchObject({ status: 'completed', output: 100 })
  })

  it('stop an output that is too large', async () => {
    await using test = await openTestEngine({ workflows: [counts], limits: { payloadBytes: 100 } })
    expect(await test.run('counts', { turns: 1, size: 101 })).toMatchObject({
      status: 'faulted',
      error: { code: 'PAYLOAD_TOO_LARGE' },
    })
  })

  it('are refused when they make no sense', async () => {
    await expect(openTestEngine({ limits: { depth: 0 } })).rejects.toThrow('limits.depth')
  })
})
