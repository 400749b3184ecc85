import { type Clock, systemClock } from '@lockstep/base'
import { type EngineOptions, workflow } from '@lockstep/engine'
import type { Db } from '@lockstep/postgres'
import { statement } from '@lockstep/postgres'
import { openTestEngine, type TestEngine } from '../engine/open-test-engine.ts'

export const DAY_MS = 86_400_000

/** Three facts between start and end, or a fault. */
const order = workflow('order', async (ctx, input: { readonly fails?: boolean }) => {
  for (const step of ['a', 'b', 'c']) await ctx.step(step, async () => step)
  if (input.fails) throw new Error('it was to fail')
  return 'done'
})

/** Ids say when they were made: those of this engine were made so long ago. */
const clockBack = (ms: number): Clock => ({
  now: () => systemClock.now() - ms,
  monotonic: () => systemClock.monotonic(),
  schedule: (delayMs, run, options) => systemClock.schedule(delayMs, run, options),
  soon: (run) => systemClock.soon(run),
})

const shiftBack = statement<{ id: string; ms: number }>(
  'test_shift_back',
  (p) => [p.id, p.ms],
  `update instance set created_at = created_at - $2 * interval '1 millisecond', finished_at = finished_at - $2 * interval '1 millisecond' where id = $1`,
)

export interface AgedEngine extends TestEngine {
  /** The id of an instance that ended so long ago. */
  ended(agoMs: number, input?: object): Promise<string>
}

export async function openAgedEngine(options: Partial<EngineOptions> = {}): Promise<AgedEngine> {
  const retention = { share: 1, ...options.retention }
  const test = await openTestEngine({ clock: clockBack(100 * DAY_MS), workflows: [order], ...options, retention })
  return {
    ...test,
    ended: async (agoMs, input = {}) => {
      const { instanceId } = await test.run('order', input)
      await test.db.run(shiftBack, { id: instanceId, ms: agoMs })
      return instanceId
    },
  }
}

/** Rows of any table, by hand. */
export async function query<Row>(db: Db, text: string): Promise<Row[]> {
  return db.transaction((tx) => tx.many(statement<undefined, Row>(nameOf(text), () => [], text)))
}

let count = 0
const names = new Map<string, string>()
function nameOf(text: string): string {
  const name = names.get(text) ?? `test_query_${++count}`
  names.set(text, name)
  return name
}
