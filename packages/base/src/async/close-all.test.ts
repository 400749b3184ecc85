import { describe, expect, it } from 'vitest'
import { closeAll } from './close-all.ts'

describe('closeAll', () => {
  it('closes in order, also behind one that fails, and tells of the first failure', async () => {
    const closed: string[] = []
    const failing = (name: string) => async () => {
      closed.push(name)
      throw new Error(name)
    }
    const all = closeAll(
      () => closed.push('a'),
      failing('b'),
      failing('c'),
      async () => closed.push('d'),
    )
    await expect(all).rejects.toThrow('b')
    expect(closed).toEqual(['a', 'b', 'c', 'd'])
    await expect(closeAll()).resolves.toBeUndefined()
  })
})
