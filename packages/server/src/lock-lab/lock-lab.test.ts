import { systemClock } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { RateLimited } from '../auth/errors.ts'
import { type FencedResource, LockLab } from './lock-lab.ts'

let now = 0
const clock = { ...systemClock, monotonic: () => now }
const resource: FencedResource = { write: async () => ({ status: 'written' }) }
const lab = () => new LockLab({ resource, isOffered: () => true }, clock)

describe('the lock lab', () => {
  it('takes a hundred moves a second, and the next ones a second later', () => {
    const open = lab()
    for (let n = 0; n < 100; n += 1) open.pass()
    expect(() => open.pass()).toThrow(RateLimited)
    now += 1_000
    expect(() => open.pass()).not.toThrow()
  })

  it('lets as many wait as there are workers, and frees their places', async () => {
    const open = lab()
    let go: () => void = () => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const waiting = Array.from({ length: 40 }, () => open.wait(() => gate))
    await expect(open.wait(() => gate)).rejects.toThrow(RateLimited)
    go()
    await Promise.all(waiting)
    expect(await open.wait(async () => 'in')).toBe('in')
  })
})
