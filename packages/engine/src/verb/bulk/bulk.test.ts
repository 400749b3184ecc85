import { silentLogger, sleep } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import type { VersionSummary } from '../../store/definition-store.ts'
import type { OperationStore, PreviewBounds } from '../../store/operation-store.ts'
import { Bulk, type BulkContext } from './bulk.ts'

const operation = { tenant: 'default', id: 'o', verb: 'pause', options: {}, state: 'applying' } as const

/** Over a store that says no more than these. */
function bulk(store: Partial<OperationStore>, context: Partial<BulkContext> = {}) {
  const clock = virtualClock()
  const made = new Bulk({
    ...{ pollMs: 1_000, clock, logger: silentLogger, newId: () => 'o', nodeId: () => 'n' },
    bus: { publish: () => undefined, subscribe: () => () => undefined },
    definitions: { versions: async () => [] },
    maintenance: { takeTurn: async () => true, endTurn: async () => undefined },
    apply: async () => ({ outcome: 'accepted', detail: undefined }),
    ...context,
    store: store as OperationStore,
  })
  return { clock, made }
}

describe('the turn of a bulk operation', () => {
  it('is renewed within a page that takes longer than it lasts, and given back once when all is done', async () => {
    const turns: (number | 'end')[] = []
    let isLeft = true
    const { clock, made } = bulk(
      {
        next: async () => (isLeft ? operation : undefined),
        pending: async () => ['a', 'b'],
        settle: async () => {
          isLeft = false
        },
      },
      {
        maintenance: {
          takeTurn: async () => {
            turns.push(clock.monotonic())
            await sleep(clock, 100)
            return true
          },
          endTurn: async () => void turns.push('end'),
        },
        apply: async () => {
          await sleep(clock, 11_500)
          return { outcome: 'accepted', detail: undefined }
        },
      },
    )
    made.run()
    await clock.advance(20_000)
    const taken = turns.filter((turn) => turn !== 'end')
    const gaps = taken.slice(1).map((at, index) => at - taken[index]!)
    expect([Math.max(...gaps) < 2_000, taken.at(-1)! >= 11_500, turns.at(-1)]).toEqual([true, true, 'end'])
    expect(turns.filter((turn) => turn === 'end')).toHaveLength(1)
    await made.stop()
  })
})

describe('a bulk operation to a version', () => {
  it('looks at less before it begins than a preview does, and at several workflows at once', async () => {
    const looked: PreviewBounds[] = []
    let atOnce = 0
    let most = 0
    const definitionIds = Array.from({ length: 30 }, (_, n) => `w${n}`)
    const { made } = bulk(
      {
        create: async () => undefined,
        next: async () => undefined,
        preview: async (_tenant, _filter, _meant, bounds) => {
          looked.push(bounds)
          return { count: 30, exact: true, sample: [], skipped: {}, definitionIds }
        },
      },
      {
        definitions: {
          versions: async (_tenant, id, before) => {
            most = Math.max(most, ++atOnce)
            await Promise.resolve()
            atOnce -= 1
            return id === 'w29' && before === 8 ? [] : [{ version: before! - 1 } as VersionSummary]
          },
        },
      },
    )
    const request = { verb: 'migrate', filter: { createdFrom: 1 }, options: { version: 3 } } as const
    await made.start(request)
    await made.preview(request)
    expect([looked.map(({ lookAt }) => lookAt), most]).toEqual([[10_000, 100_000], 20])
    const refused = { details: { rule: expect.stringContaining('"w29" has no version 7') } }
    await expect(made.start({ ...request, options: { version: 7 } })).rejects.toMatchObject(refused)
    await made.stop()
  })
})
