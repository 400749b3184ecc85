import { Engine, workflow } from '@lockstep/engine'
import type { EngineStore } from '@lockstep/engine/ports'
import { simulation } from '@lockstep/testing/simulation'
import { expect, it } from 'vitest'

const quick = workflow('quick', async () => 'done')

/** An engine in virtual time with ended instances, on a store whose sessions wait as `waiting` says, look by look. */
async function busySite(waiting: (look: number) => number, ended = 1) {
  const site = simulation({ seed: 7 })
  const node = site.node('one')
  const removals: number[] = []
  let looks = 0
  const { maintenance } = node.store
  const store: EngineStore = {
    ...node.store,
    maintenance: {
      ...maintenance,
      expired: async (request) => {
        const found = await maintenance.expired(request)
        looks += 1
        return found && { ...found, waiting: waiting(looks) }
      },
      remove: (request, ids) => {
        removals.push(looks)
        return maintenance.remove(request, ids)
      },
    },
  }
  const opening = Engine.open({
    ...node,
    store,
    workflows: [quick],
    retention: { keep: { completed: 0 }, rowsPerBatch: 2 },
  })
  await site.run(1_000)
  const engine = await opening
  for (let n = 0; n < ended; n += 1) {
    const starting = engine.start({ definitionId: 'quick' })
    await site.run(1_000)
    await starting
  }
  const sweeping = engine.retention.sweep()
  await site.run(120_000)
  return { report: await sweeping, removals, left: site.store.inspect().instances.size }
}

it('deletes nothing while commits wait, and goes on when they do not', async () => {
  const { report, removals, left } = await busySite((look) => (look <= 2 ? 9 : 0))
  expect(report).toMatchObject({ ended: 'done', instances: 1 })
  expect(removals).toEqual([3])
  expect(left).toBe(0)
})

it('makes some headway in a store that is always busy', async () => {
  const { report, removals } = await busySite(() => 9, 2)
  expect(report).toMatchObject({ ended: 'done', instances: 2 })
  expect(removals).toEqual([9, 18])
})
