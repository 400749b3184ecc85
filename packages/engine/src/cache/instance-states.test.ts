import type { Clock } from '@lockstep/base'
import { beforeEach, describe, expect, it } from 'vitest'
import type { InstanceView } from '../store/instance-reader.ts'
import { FRESH_MS, InstanceStates } from './instance-states.ts'

const view = (id: string, revision: number, tenant = 't') => ({ id, tenant, revision }) as InstanceView

/** A store of one number per instance, whose questions are counted, and a clock that stands still. */
class Site {
  nowMs = 1_000
  loads = 0
  looks = 0
  kept = new Map<string, string>()
  readonly revisions = new Map<string, number>([['a', 1]])
  readonly clock: Clock = { monotonic: () => this.nowMs } as Clock
  readonly instances = {
    stamped: async (tenant: string, id: string) => {
      this.loads += 1
      const revision = this.revisions.get(id)
      return revision === undefined || tenant !== 't' ? undefined : { view: view(id, revision), stamp: `s${revision}` }
    },
    stamps: async (tenant: string, ids: readonly string[]) => {
      this.looks += 1
      const found = tenant === 't' ? ids.filter((id) => this.revisions.has(id)) : []
      return new Map(found.map((id) => [id, `s${this.revisions.get(id)}`]))
    },
  }
  readonly tier = {
    read: async (key: string) => this.kept.get(key),
    write: (key: string, text: string) => void this.kept.set(key, text),
    clear: async () => this.kept.clear(),
  }
  open(more: object = {}): InstanceStates {
    const standing = async ({ revision }: InstanceView) => ({ variables: { revision }, waits: [] })
    return new InstanceStates({ instances: this.instances, clock: this.clock, standing, ...more })
  }
}

describe('InstanceStates', () => {
  let site: Site
  let states: InstanceStates
  beforeEach(() => {
    site = new Site()
    states = site.open()
  })
  const read = async (options?: { exact: boolean }) => (await states.read('t', 'a', options))!

  it('serves what it has when a look finds it unchanged, and reads anew when it does not', async () => {
    expect(await read()).toMatchObject({ view: { revision: 1 }, from: 'miss' })
    expect(await read()).toMatchObject({ view: { revision: 1 }, variables: { revision: 1 }, from: 'checked', ageMs: 0 })
    site.revisions.set('a', 2)
    expect(await read()).toMatchObject({ view: { revision: 2 }, variables: { revision: 2 }, from: 'miss' })
    expect([site.loads, site.looks]).toEqual([2, 2])
    expect(states.stats()).toMatchObject({ hits: 1, misses: 2, invalidations: 1, size: 1 })
  })

  it('serves one that is read very often without a look, no longer than it says', async () => {
    for (let i = 0; i < 10; i += 1) await read()
    const { looks } = site
    site.revisions.set('a', 2)
    site.nowMs += FRESH_MS
    expect(await read()).toMatchObject({ from: 'fresh', ageMs: FRESH_MS, view: { revision: 1 } })
    expect(await read({ exact: true })).toMatchObject({ from: 'miss', view: { revision: 2 } })
    expect(site.looks).toBe(looks + 1)
    site.revisions.set('a', 3)
    site.nowMs += FRESH_MS + 1
    expect(await read()).toMatchObject({ from: 'miss', view: { revision: 3 } })
  })

  it('looks for every reader of one that is read now and then', async () => {
    for (let i = 0; i < 20; i += 1) {
      site.revisions.set('a', i)
      expect(await read()).toMatchObject({ view: { revision: i } })
      site.nowMs += FRESH_MS / 2
    }
  })

  it('forgets what it is told of at once', async () => {
    for (let i = 0; i < 10; i += 1) await read()
    site.revisions.set('a', 2)
    states.forget('a')
    expect(await read()).toMatchObject({ view: { revision: 2 } })
  })

  it('does not keep what was read while something happened to it', async () => {
    const reading = read()
    while (site.loads === 0) await Promise.resolve()
    site.revisions.set('a', 2)
    states.forget('a')
    await reading
    expect(states.stats().size).toBe(0)
    expect(await read()).toMatchObject({ from: 'miss', view: { revision: 2 } })
  })

  it('reads once for many readers, whether it has the state or the state has changed', async () => {
    const many = () => Promise.all(Array.from({ length: 50 }, () => states.read('t', 'a', { exact: true })))
    await many()
    expect(site.loads).toBe(1)
    site.revisions.set('a', 2)
    expect(new Set((await many()).map((state) => state?.view.revision))).toEqual(new Set([2]))
    expect(site.loads).toBe(2)
    expect(site.looks).toBeLessThanOrEqual(3)
  })

  it('knows nothing of what was deleted, nor of what is of another tenant', async () => {
    await read()
    expect(await states.read('other', 'a')).toBeUndefined()
    site.revisions.delete('a')
    expect(await states.read('t', 'a')).toBeUndefined()
    expect(states.stats().size).toBe(0)
  })

  it('takes what another node has read when its stamp is the current one, and nothing else', async () => {
    const { tier } = site
    await site.open({ tier }).read('t', 'a')
    expect(site.loads).toBe(1)
    const second = site.open({ tier })
    expect(await second.read('t', 'a')).toMatchObject({ view: { revision: 1 }, variables: { revision: 1 } })
    expect([site.loads, second.stats().secondTierHits]).toEqual([1, 1])
    site.revisions.set('a', 2)
    expect(await site.open({ tier }).read('t', 'a')).toMatchObject({ view: { revision: 2 } })
    expect(site.loads).toBe(2)
    const key = [...site.kept.keys()][0]!
    for (const lie of ['', '{', 'null', '[]', '{"stamp":"s2"}', '{"stamp":"s2","view":{"id":"b","tenant":"t"}}']) {
      site.kept.set(key, lie)
      expect(await site.open({ tier }).read('t', 'a'), lie).toMatchObject({ view: { id: 'a', revision: 2 } })
    }
    expect(site.loads).toBe(8)
  })

  it('clears what it has and what all nodes share', async () => {
    const shared = site.open({ tier: site.tier })
    await shared.read('t', 'a')
    shared.clear()
    await shared.clearSecondTier()
    expect([shared.stats().size, shared.stats().invalidations, site.kept.size]).toEqual([0, 1, 0])
  })
})
