import { silentLogger } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import { ProviderUnavailable } from '../errors.ts'
import { memoryProvider } from '../memory/memory-provider.ts'
import { memoryStore } from '../memory/memory-store.ts'
import { heartbeat } from './heartbeat.ts'

function cluster() {
  const time = virtualClock()
  const store = memoryStore()
  const join = (node: string) => {
    const clock = time.view()
    const provider = memoryProvider({ clock: time, store })
    const self = { nodeId: `id-${node}`, node, pid: 1, host: 'here' }
    return { clock, provider, members: heartbeat({ provider, clock, logger: silentLogger, self }) }
  }
  return { time, join }
}
const names = async (list: Promise<readonly { name: string }[]>) => (await list).map((each) => each.name).sort()

describe('members', () => {
  it('live while they beat, and are gone a time to live after they stopped', async () => {
    const { time, join } = cluster()
    const [a, b] = [join('a'), join('b')]
    a.members.start()
    b.members.start()
    await time.advance(60_000)
    expect(await names(a.members.list())).toEqual(['a', 'b'])
    b.clock.pause()
    await time.advance(16_000)
    expect(await names(a.members.list())).toEqual(['a'])
    b.clock.resume()
    await time.advance(1)
    expect(await names(a.members.list())).toEqual(['a', 'b'])
  })

  it('leave at once when they stop, and never come back by a late beat', async () => {
    const { time, join } = cluster()
    const [a, b] = [join('a'), join('b')]
    a.members.start()
    b.members.start()
    await time.advance(1)
    await b.members.stop()
    expect(await names(a.members.list())).toEqual(['a'])
    b.members.start()
    await time.advance(30_000)
    expect(await names(a.members.list())).toEqual(['a'])
    await a.members.stop()
    expect(await time.runUntilIdle(60_000)).toBe(true)
  })

  it('beat again soon after the store was out of reach', async () => {
    const { time, join } = cluster()
    const a = join('a')
    const { beat } = a.provider.members
    let down = true
    Object.assign(a.provider.members, {
      beat: (...args: Parameters<typeof beat>) =>
        down ? Promise.reject(new ProviderUnavailable({ provider: 'memory', doing: 'beat' })) : beat(...args),
    })
    a.members.start()
    await time.advance(20_000)
    expect(await names(a.members.list())).toEqual([])
    down = false
    await time.advance(1_000)
    expect(await names(a.members.list())).toEqual(['a'])
  })

  it('refuse options that would let a living member look dead', () => {
    const { provider, clock } = cluster().join('a')
    const kit = { provider, clock, logger: silentLogger, self: { nodeId: 'x', node: 'x', pid: 1, host: 'h' } }
    expect(() => heartbeat(kit, { memberTtlMs: 1_000, beatEveryMs: 600 })).toThrow(/half of memberTtlMs/)
    expect(() => heartbeat(kit, { memberTtlMs: Number.NaN })).toThrow(/memberTtlMs/)
  })
})
