import { describe, expect, it } from 'vitest'
import { isLate } from '../../scripts/test/lateness.mjs'
import { until } from '../faults/until.ts'

const thrownBy = (work: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(work)
    .then(
      () => undefined,
      (error: unknown) => error,
    )

describe('what has a second try', () => {
  it('is what waited in vain', async () => {
    expect(isLate(await thrownBy(() => until('pigs fly', () => false, 0)))).toBe(true)
    expect(isLate(await thrownBy(() => expect.poll(() => 1, { timeout: 1 }).toBe(2)))).toBe(true)
    const gone = Object.assign(new Error('gone'), { code: 'CONNECTION_LOST' })
    expect(isLate(gone)).toBe(true)
    expect(isLate(new Error('before commit 8', { cause: gone }))).toBe(true)
    expect(isLate(new Error('Test timed out in 120000ms.\nIf this is a long-running test'))).toBe(true)
  })

  it('is nothing that was wrong', async () => {
    expect(isLate(await thrownBy(() => expect(1).toBe(2)))).toBe(false)
    expect(isLate(await thrownBy(() => expect(['fired twice']).toEqual([])))).toBe(false)
    expect(isLate(new Error('two holders of one fence'))).toBe(false)
    expect(isLate(new Error('before commit 8', { cause: new Error('two holders of one fence') }))).toBe(false)
    expect(isLate(Object.assign(new Error('gap in the journal'), { code: 'JOURNAL_GAP' }))).toBe(false)
  })
})
