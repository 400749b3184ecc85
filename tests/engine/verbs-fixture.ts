import type { JsonObject } from '@lockstep/base'
import type { EffectActivity, Engine, InstanceEnd } from '@lockstep/engine'
import { expect } from 'vitest'
import type { TestEngine } from './open-test-engine.ts'

const described = {
  kind: 'action',
  title: 'Toy',
  description: 'For tests.',
  inputs: { type: 'object' },
  outcomes: 'any',
  runs: 'effect',
} as const
export const effect = (type: string, run: EffectActivity['run']): EffectActivity => ({ ...described, type, run })
export const done = (output: unknown = null) =>
  ({ kind: 'completed', outcome: 'done', output: output as null }) as const

/** Activities one after the other. */
export const chain = (id: string, activities: readonly JsonObject[], rest: JsonObject = {}) => ({
  id,
  ...rest,
  activities: [...activities],
  connections: activities.slice(1).map((each, index) => ({ from: activities[index]!.id!, to: each.id! })),
})

export const facts = async (engine: Engine, id: string): Promise<string[]> =>
  (await engine.journal(id)).map((row) => {
    const { step } = row.data as { step?: string }
    return step === undefined ? row.kind : `${row.kind} ${step}`
  })

export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10))
}

export const ended = async (t: TestEngine, id: string): Promise<InstanceEnd> => {
  const end = await t.engine.waitForEnd(id, { limitMs: 20_000 })
  if (end === undefined) throw new Error(`not ended: ${JSON.stringify(await t.engine.why(id))}`)
  return end
}

/** Nothing is stranded, and nothing is left over. */
export const healthy = async (t: TestEngine): Promise<void> => expect((await t.engine.doctor()).findings).toEqual([])

export const waits = (id = 'waits') => chain(id, [{ id: 'ask', type: 'wait-for-event', inputs: { event: `${id}-go` } }])
