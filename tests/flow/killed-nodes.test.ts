/** Limits hold over two nodes and over deaths, as an outside file saw it; nothing acknowledged is lost (P1). */
import { describe, expect, it } from 'vitest'
import { type FlowNode, type FlowSite, mostInside, openFlowSite, until } from './flow-site.ts'

const LIMIT = 2
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const hasEnded = async (site: FlowSite, definitionId: string): Promise<boolean> =>
  (await site.instances(definitionId)).every(({ status }) => status === 'completed')

/** Starts through whoever lives; answers what was acknowledged, in the order of the answers. */
async function startThrough(
  nodes: () => readonly FlowNode[],
  inputs: readonly object[],
  definitionId: string,
  atOnce = 1,
): Promise<object[]> {
  const acknowledged: object[] = []
  for (let from = 0; from < inputs.length; from += atOnce) {
    const living = nodes()
    const sent = inputs.slice(from, from + atOnce).map((input, index) =>
      living[(from + index) % living.length]!.call('start', { definitionId, input }).then(
        () => acknowledged.push(input),
        () => undefined, // its node died: it was started or not
      ),
    )
    await Promise.all(sent)
  }
  return acknowledged
}

describe('flow control over nodes that die', () => {
  it('never lets more in than the limit, and strands nobody when holders are killed', async () => {
    await using site = await openFlowSite()
    const flow = { visit: { concurrency: { key: { $expr: 'input.key' }, limit: LIMIT } } }
    const open = () => site.node({ flow, holdMs: 100 })
    let living = [await open(), await open()]
    const inputs = Array.from({ length: 60 }, (_, n) => ({ key: n % 3 === 0 ? 'a' : 'b', n }))
    const started = startThrough(() => living, inputs, 'visit', 10)
    for (let death = 0; death < 3; death += 1) {
      await until('some have been through', async () => site.sink().length >= (death + 1) * 25)
      const next = await open()
      const [victim, ...others] = living
      living = [...others, next]
      await victim!.kill9()
    }
    const acknowledged = await started
    await until('all have ended', () => hasEnded(site, 'visit'))
    expect((await site.instances('visit')).length).toBeGreaterThanOrEqual(acknowledged.length)
    expect(mostInside(site.sink())).toBe(LIMIT)
    expect(await living[0]!.call('doctor')).toMatchObject({ findings: [] })
  })

  it('lets somebody in soon after the only holder was killed for good', async () => {
    await using site = await openFlowSite()
    const flow = { visit: { singleton: { onBusy: 'queue' } } }
    const holder = await site.node({ flow, holdMs: 600_000 })
    await holder.call('start', { definitionId: 'visit', input: { key: 'x', n: 1 } })
    await until('it is inside', async () => site.sink().length === 1)
    const survivor = await site.node({ flow })
    await survivor.call('start', { definitionId: 'visit', input: { key: 'x', n: 2 } })
    await holder.kill9()
    await until('both have ended', () => hasEnded(site, 'visit'))
    expect(mostInside(site.sink())).toBe(1)
  })

  it('loses no input of a batch and no last one of a debounce', async () => {
    await using site = await openFlowSite()
    const flow = {
      collect: { batch: { size: 4, wait: 150 } },
      settle: { debounce: { key: { $expr: 'input.key' }, wait: 150 } },
    }
    let living = [await site.node({ flow }), await site.node({ flow })]
    const numbers = Array.from({ length: 50 }, (_, n) => ({ n }))
    const words = Array.from({ length: 40 }, (_, n) => ({ key: `k${n % 4}`, n }))
    const batched = startThrough(() => living, numbers, 'collect')
    const calmed = startThrough(() => living, words, 'settle')
    await pause(150)
    const next = await site.node({ flow })
    const [victim, other] = living
    living = [other!, next]
    await victim!.kill9()
    const [sent, said] = [await batched, await calmed]
    await until('nothing is gathered any more', () => hasEnded(site, 'collect'))
    await until('all is calm', () => hasEnded(site, 'settle'))

    const batches = (await site.instances('collect')).map(({ input }) => input as { n: number }[])
    expect(batches.every((inputs) => inputs.length <= 4)).toBe(true)
    const arrived = batches.flat().map(({ n }) => n)
    expect(new Set(arrived).size).toBe(arrived.length)
    for (const { n } of sent as { n: number }[]) expect(arrived).toContain(n)

    const settled = (await site.instances('settle')).map(({ input }) => input as { key: string; n: number })
    for (const key of ['k0', 'k1', 'k2', 'k3']) {
      const last = (said as { key: string; n: number }[]).filter((each) => each.key === key).at(-1)!
      const highest = Math.max(...settled.filter((each) => each.key === key).map(({ n }) => n))
      expect(highest).toBeGreaterThanOrEqual(last.n)
    }
  })

  it('follows an edit made on another node, for those who wait too', async () => {
    await using site = await openFlowSite()
    const flow = { visit: { concurrency: { limit: 1 } } }
    const [one, two] = [await site.node({ flow, holdMs: 300 }), await site.node({ flow, holdMs: 300 })]
    for (let n = 0; n < 12; n += 1) await one.call('start', { definitionId: 'visit', input: { key: 'x', n } })
    await until('one is inside', async () => site.sink().length >= 1)
    await two.call('set', { definitionId: 'visit', policy: { concurrency: { limit: 4 } } })
    await until('all have ended', () => hasEnded(site, 'visit'))
    expect(mostInside(site.sink())).toBe(4)
  })
})
