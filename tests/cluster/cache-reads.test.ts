/** Reads from memory: how many questions they save, and that none of them is behind what it says. */
import { workflow } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { until } from '../faults/until.ts'
import { type CacheNode, openCacheSite } from './cache-site.ts'

const wire = (id: string): string => `wfi_${id}`
const asks = {
  id: 'asks',
  name: 'Asks',
  variables: { said: { type: 'string', default: 'nothing' } },
  activities: [{ id: 'wait', type: 'wait-for-event', inputs: { event: 'answer' } }],
  connections: [],
}
/** Waits again and again, so that it moves with every answer. */
const counts = workflow('counts', async (ctx, turns: number) => {
  for (let turn = 0; turn < turns; turn += 1) await ctx.waitFor(`answer-${turn}`)
  return 'done'
})

async function waitingAt({ engine }: CacheNode, id: string, name: string): Promise<number> {
  let revision = 0
  await until(
    `it waits for ${name}`,
    async () => {
      const view = await engine.get(id)
      revision = view.revision
      return view.waitingFor.some((wait) => wait.name === name)
    },
    60_000,
  )
  return revision
}

describe('reads of a hot instance', () => {
  it('cause at least 90 % fewer queries than without the cache', async () => {
    await using site = await openCacheSite([{}, {}])
    const [one, two] = site.nodes as [CacheNode, CacheNode]
    await site.publish(asks)
    const { instanceId: id } = await one.engine.start({ definitionId: 'asks' })
    await waitingAt(one, id, 'answer')

    const uncachedBefore = two.queries()
    for (let i = 0; i < 5; i += 1) {
      await two.engine.get(id)
      await two.engine.variables(id)
    }
    const perRead = (two.queries() - uncachedBefore) / 5

    const read = () => two.ask('GET', `/workflow-instances/${wire(id)}`)
    const first = await read()
    expect(first).toMatchObject({ status: 200, body: { status: 'suspended', variables: { said: 'nothing' } } })
    expect(first.headers.get('cache-status')).toBe('lockstep; fwd=miss')
    const answers: Awaited<ReturnType<typeof read>>[] = []
    /** Part of the queries that a crowd of readers did not cause. */
    const crowd = async (): Promise<number> => {
      const before = two.queries()
      const told = []
      for (let round = 0; round < 20; round += 1) told.push(...(await Promise.all(Array.from({ length: 25 }, read))))
      answers.push(...told)
      return 1 - (two.queries() - before) / (told.length * perRead)
    }
    // On a machine that is too busy to read it often it is not hot, and each look is a query.
    let saved = await crowd()
    for (let times = 1; times < 25 && saved < 0.9; times += 1) saved = await crowd()
    expect(saved).toBeGreaterThanOrEqual(0.9)
    for (const { body, headers } of answers) {
      expect(body).toEqual(first.body)
      expect(headers.get('cache-status')).toMatch(/^lockstep; hit; detail=(checked|fresh)$/)
      expect(Number(headers.get('lockstep-age-ms'))).toBeLessThanOrEqual(50)
    }
    const cached = two.engine.caches.list().find(({ name }) => name === 'instances')!
    expect(cached).toMatchObject({ misses: 1, size: 1 })
    expect(cached.hits).toBe(answers.length)
  })

  it('are never older than they say, while another node moves it and no bus tells of it', async () => {
    const TURNS = 60
    await using site = await openCacheSite([{ workflows: [counts] }, {}])
    const [mover, reader] = site.nodes as [CacheNode, CacheNode]
    const { instanceId: id } = await mover.engine.start({ definitionId: 'counts', input: TURNS })
    /** What was committed for sure, and when that was known. */
    const known: { readonly at: number; readonly revision: number }[] = []
    const leastAt = (at: number): number =>
      Math.max(0, ...known.filter((each) => each.at <= at).map((each) => each.revision))
    let over = false
    const wrong: unknown[] = []
    const seen = { miss: 0, checked: 0, fresh: 0 }
    const hammer = async (exact: boolean): Promise<void> => {
      while (!over) {
        const cameAt = performance.now()
        const { view, from, ageMs } = await reader.engine.state(id, { exact })
        seen[from] += 1
        const least = leastAt(cameAt - ageMs)
        if (view.revision < least || ageMs > 50 || (exact && from === 'fresh')) wrong.push({ from, ageMs, least, view })
        await new Promise((resolve) => setTimeout(resolve, exact ? 3 : 0))
      }
    }
    const readers = [hammer(false), hammer(false), hammer(false), hammer(true)]
    for (let turn = 0; turn < TURNS; turn += 1) {
      known.push({ revision: await waitingAt(mover, id, `answer-${turn}`), at: performance.now() })
      expect(await mover.engine.resume({ instanceId: id, bookmark: `answer-${turn}` })).toBe('resumed')
    }
    expect(await mover.engine.waitForEnd(id, { limitMs: 60_000 })).toMatchObject({ status: 'completed' })
    await until('it was read in every way', () => Object.values(seen).every((count) => count > 0), 60_000)
    over = true
    await Promise.all(readers)
    expect(wrong).toEqual([])
    const { body } = await reader.ask('GET', `/workflow-instances/${wire(id)}`, undefined, {
      'cache-control': 'no-cache',
    })
    expect(body).toMatchObject({ status: 'completed', output: 'done' })
  })

  it('follow a resume and the end at once where those are answered', async () => {
    await using site = await openCacheSite([{}])
    const [node] = site.nodes as [CacheNode]
    await site.publish(asks)
    const { instanceId: id } = await node.engine.start({ definitionId: 'asks' })
    await waitingAt(node, id, 'answer')
    const read = () => node.ask('GET', `/workflow-instances/${wire(id)}`)
    await Promise.all(Array.from({ length: 50 }, read))
    const told = await node.ask('POST', `/workflow-instances/${wire(id)}/resume`, { bookmark: 'answer' })
    expect(told).toMatchObject({ status: 200, body: { outcome: 'resumed' } })
    expect((await read()).body.waitingFor).toEqual([])
    expect((await node.ask('GET', `/workflow-instances/${wire(id)}?wait=60s`)).body.status).toBe('completed')
    expect((await read()).body.status).toBe('completed')
    expect((await node.ask('GET', '/workflow-instances/wfi_01900000-0000-7000-8000-000000000000')).status).toBe(404)
  })
})

describe('caches over the API', () => {
  it('are listed with what they did, and cleared by name', async () => {
    await using site = await openCacheSite([{}])
    const [node] = site.nodes as [CacheNode]
    await site.publish(asks)
    const { instanceId: id } = await node.engine.start({ definitionId: 'asks' })
    await waitingAt(node, id, 'answer')
    for (let i = 0; i < 4; i += 1) await node.ask('GET', `/workflow-instances/${wire(id)}`)
    const { body } = await node.ask('GET', '/caches')
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual([
      'definitions',
      'instances',
      'published-versions',
    ])
    expect(body.items[1]).toMatchObject({ size: 1, hits: 3, misses: 1, hitRate: 0.75, evictions: 0, secondTierHits: 0 })
    expect(await node.ask('POST', '/caches/instances/clear')).toMatchObject({
      status: 200,
      body: { size: 0, invalidations: 1 },
    })
    const unknown = await node.ask('POST', '/caches/ghosts/clear')
    expect(unknown).toMatchObject({ status: 404, body: { code: 'CACHE_NOT_FOUND' } })
    expect(unknown.body.detail).toContain('only definitions, instances, published-versions')
  })
})
