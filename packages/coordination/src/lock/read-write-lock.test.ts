import { seededRandom } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import { coordinator } from '../coordinator.ts'
import { memoryProvider } from '../memory/memory-provider.ts'

function bench() {
  const time = virtualClock()
  const provider = memoryProvider({ clock: time })
  const locks = coordinator({ provider, clock: time, random: seededRandom(1) })
  const finish = async <T>(work: Promise<T>, ms = 10): Promise<T> => {
    work.catch(() => {})
    await time.advance(ms)
    return work
  }
  return { time, locks, provider, finish }
}

describe('a read/write lock', () => {
  it('keeps what the holder said about itself when it upgrades, and is still told when it is broken', async () => {
    const { locks, provider, finish } = bench()
    const lock = locks.readWrite('doc')
    const lease = await finish(lock.read.acquire({ meta: 'editor' }))
    const read = lease.fence
    expect(await finish(lock.tryUpgrade(lease))).toBe(true)
    expect(lease.fence).toBeGreaterThan(read)
    const [holder] = (await provider.registry.read('doc'))!.holders
    expect(holder).toMatchObject({ share: { kind: 'write' }, fence: lease.fence })
    expect(holder!.holder).toContain('editor')
    await finish(provider.registry.break('doc', { reason: 'test', by: 'test' }))
    expect(lease.signal.aborted).toBe(true)
    await expect(finish(lock.downgrade(lease))).rejects.toMatchObject({ code: 'LEASE_LOST' })
  })

  it('takes only leases of its own', async () => {
    const { locks, finish } = bench()
    const other = await finish(locks.readWrite('other').read.acquire())
    await expect(locks.readWrite('doc').downgrade(other)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  })

  it('does not turn a read lease that was lost into a write lease of its own', async () => {
    const { locks, provider, finish } = bench()
    const lock = locks.readWrite('doc')
    const lease = await finish(lock.read.acquire())
    const [holder] = (await provider.registry.read('doc'))!.holders
    await provider.leases.release([{ name: 'doc', token: holder!.token, kind: 'read-write' }])
    await expect(finish(lock.tryUpgrade(lease))).rejects.toMatchObject({
      code: 'LEASE_LOST',
      details: { reason: 'taken' },
    })
    expect(await provider.registry.read('doc')).toBeUndefined()
  })
})
