/** A cancel is asked of one node and stops code that runs on another. */
import { cloneDatabase } from '@lockstep/testing/harness'
import { describe, expect, inject, it } from 'vitest'
import { TestSite } from '../faults/test-bed.ts'

/** Nobody dies here, however busy the machine is. */
const life = { heartbeatMs: 300, ttlMs: 20_000 }
/** Nothing is told over it, and the next poll comes long after this test. */
const cut = {
  bus: { module: new URL('unruly-bus.mjs', import.meta.url).href, kind: 'none' },
  engine: { ...life, pollMs: 3_600_000 },
}
const graph = { id: 'endless-graph', activities: [{ id: 'run', type: 'endless' }] }

describe.each([
  ['that is told', { engine: life }],
  ['while the bus is cut', cut],
])('a cancel on one node %s', (_, { engine, ...options }) => {
  it.each(['endless', 'endless-graph'])('aborts running code of another: %s', async (definitionId) => {
    await using site = await TestSite.open(await cloneDatabase(inject('postgres')))
    const [a, b] = [
      await site.node({ name: 'a', engine, ...options }),
      await site.node({ name: 'b', engine: { ...engine, roles: ['api'] }, ...options }),
    ]
    await a.call('publishDocument', { document: graph })
    const { instanceId } = await a.call<{ instanceId: string }>('start', { definitionId })
    await a.atGate(`${instanceId} runs`)
    const since = performance.now()
    expect(await b.call('cancel', { instanceId })).toBe(true)
    // It has no time-out of its own: only the cancel can end it.
    await a.atGate(`${instanceId} was told`)
    process.stdout.write(
      `a cancel reached running code on another node after ${Math.round(performance.now() - since)} ms\n`,
    )
    expect(await b.call('wait', { instanceId, limitMs: 60_000 })).toMatchObject({ status: 'cancelled' })
  })
})
