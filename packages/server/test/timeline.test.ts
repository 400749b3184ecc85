import { workflow } from '@lockstep/engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, I, rests, set, started, variables } from './graph-runs.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

let api: TestApi
let failing = 0
beforeAll(async () => {
  const flaky = workflow('flaky', async (ctx) => {
    await ctx.step(
      'shaky',
      async () => {
        if (failing-- > 0) throw new Error('not yet')
        return 1
      },
      { retry: { attempts: 3, initial: '50ms' } },
    )
    await ctx.waitFor('go')
  })
  api = await openTestApi({ workflows: [flaky] })
})
afterAll(async () => {
  expect(api.failures).toEqual([])
  await api.close()
})

interface SpanItem {
  readonly kind: string
  readonly step: string | null
  readonly status: string
  readonly startedAt: string
  readonly endedAt: string | null
  readonly fromSeq: number | null
  readonly toSeq: number | null
  readonly attempt: number
  readonly nodeIds: readonly string[]
  readonly waitsFor: string | null
}

async function timeline(id: string, limit = 200): Promise<readonly SpanItem[]> {
  const spans: SpanItem[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await api.call('GET', `${I}/${id}/timeline?limit=${limit}${cursor && `&cursor=${cursor}`}`)
    expect(status).toBe(200)
    expect(body.items.length).toBeLessThanOrEqual(limit)
    spans.push(...body.items)
    cursor = body.page.next
    expect(body.count).toEqual(
      cursor === null ? { value: spans.length, exact: true } : { value: spans.length + 1, exact: false },
    )
  }
  return spans
}
const told = ({ kind, step, status }: SpanItem) => [kind, step, status]

describe('the timeline of an instance', () => {
  it('tells loops, timers and waits, the same in pages of any size', async () => {
    const id = await started(api, {
      id: 'line-loop',
      variables,
      activities: [
        set('first'),
        { id: 'loop', type: 'for', inputs: { start: 0, end: 2 }, body: { activities: [set('turn')] } },
        { id: 'nap', type: 'delay', inputs: { duration: '20ms' } },
        ask('go'),
      ],
      connections: [
        { from: 'first', to: 'loop' },
        { from: 'loop', to: 'nap' },
        { from: 'nap', to: 'go' },
      ],
    })
    await rests(api, id, 'suspended')
    await expect.poll(async () => (await timeline(id)).at(-1)!.kind).toBe('wait')
    const spans = await timeline(id)
    expect(spans.map(told).filter(([, step]) => !step!.startsWith('loop['))).toEqual([
      ['step', 'first', 'completed'],
      ['container', 'loop', 'completed'],
      ['timer', 'nap', 'completed'],
      ['wait', 'go', 'suspended'],
    ])
    const turns = spans.filter(({ step }) => step!.startsWith('loop['))
    expect(turns.length).toBeGreaterThanOrEqual(2)
    const loop = spans.find(({ kind }) => kind === 'container')!
    expect(loop.toSeq).toBe(turns.at(-1)!.toSeq)
    expect(spans.at(-1)).toMatchObject({ endedAt: null, toSeq: null, waitsFor: 'go' })
    for (const span of spans) {
      expect(span.nodeIds.length).toBeGreaterThan(0)
      if (span.endedAt !== null) expect(Date.parse(span.endedAt)).toBeGreaterThanOrEqual(Date.parse(span.startedAt))
    }
    for (const limit of [1, 2, 3]) expect(await timeline(id, limit)).toEqual(spans)
    await api.call('POST', `${I}/${id}/resume`, { body: { bookmark: 'go' } })
    await rests(api, id, 'completed')
    expect((await timeline(id)).map(told).at(-1)).toEqual(['wait', 'go', 'completed'])
  })

  it('tells attempts and what lies between, also of functions', async () => {
    failing = 2
    const { id } = (await api.call('POST', I, { body: { definitionId: 'flaky' } })).body
    await rests(api, id, 'suspended')
    await expect.poll(async () => (await timeline(id)).at(-1)!.kind).toBe('wait')
    const shaky = (await timeline(id)).filter(({ step }) => step === 'shaky')
    expect(shaky.map(({ kind, status, attempt }) => [kind, status, attempt])).toEqual([
      ['step', 'faulted', 1],
      ['retry', 'completed', 1],
      ['step', 'faulted', 2],
      ['retry', 'completed', 2],
      ['step', 'completed', 3],
    ])
  })

  it('tells children, and what came after a step back', async () => {
    await started(api, { id: 'line-child', variables, activities: [set('only')] })
    const id = await started(api, {
      id: 'line-back',
      variables,
      activities: [
        { id: 'child', type: 'run-workflow', inputs: { definitionId: 'line-child', input: {}, wait: true } },
        ask('two'),
        { id: 'boom', type: 'fault', inputs: { message: 'no' } },
      ],
      connections: [
        { from: 'child', to: 'two' },
        { from: 'two', to: 'boom' },
      ],
    })
    await expect.poll(async () => (await timeline(id)).at(-1)?.step, { timeout: 30_000 }).toBe('two')
    await api.call('POST', `${I}/${id}/resume`, { body: { bookmark: 'two' } })
    await rests(api, id, 'faulted')
    expect((await api.call('POST', `${I}/${id}/retry`, { body: { step: 'two' } })).status).toBeLessThan(300)
    await rests(api, id, 'suspended')
    expect((await timeline(id)).map(told)).toEqual([
      ['child', 'child', 'completed'],
      ['wait', 'two', 'completed'],
      ['step', 'boom', 'faulted'],
      ['wait', 'two', 'suspended'],
    ])
  })

  it('is not found where there is no instance, and refuses cursors of others', async () => {
    const none = await api.call('GET', `${I}/wfi_00000000-0000-7000-8000-000000000000/timeline`)
    expect([none.status, none.body.code]).toEqual([404, 'INSTANCE_NOT_FOUND'])
    const id = await started(api, { id: 'line-two', variables, activities: [set('a'), set('b'), ask('c')] })
    await rests(api, id, 'suspended')
    const { next } = (await api.call('GET', `${I}/${id}/timeline?limit=1`)).body.page
    const other = await started(api, { id: 'line-three', variables, activities: [ask('c')] })
    const refused = await api.call('GET', `${I}/${other}/timeline?cursor=${next}`)
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_CURSOR'])
  })
})
