import { describe, expect, it } from 'vitest'
import { madeAt, missingAs } from './missing-instance.ts'

const MADE = Date.parse('2026-11-17T11:48:46.277Z')
const ID = 'wfi_01a1e956-8e45-70dd-8f6c-5b234ea287f3'
const NOW = MADE + 60_000

describe('an instance that is not there', () => {
  it('was made when its id says', () => {
    expect(madeAt(ID, NOW)).toBe(MADE)
    expect(madeAt(ID.toUpperCase().replace('WFI', 'wfi'), NOW)).toBe(MADE)
    expect(madeAt('wfi_01a1e956-8e45-40dd-8f6c-5b234ea287f3', NOW)).toBeUndefined()
    expect(madeAt('nonsense', NOW)).toBeUndefined()
    expect(madeAt(ID, MADE - 2 * 86_400_000)).toBeUndefined()
  })

  it('was deleted, where the audit log speaks of it', () => {
    const at = '2026-11-17T11:49:00.000Z'
    const actor = { id: 'ann' }
    expect(missingAs(ID, NOW, { at, operation: 'pauseWorkflowInstance', actor })).toEqual({
      kind: 'deleted',
      seenAt: at,
    })
    expect(missingAs(ID, NOW, { at, operation: 'deleteWorkflowInstance', actor })).toEqual({
      ...{ kind: 'deleted', seenAt: at, by: 'ann' },
    })
    expect(missingAs(ID, NOW, undefined)).toEqual({ kind: 'perhaps', madeAt: '2026-11-17T11:48:46.277Z' })
    expect(missingAs('wfi_1', NOW, undefined)).toEqual({ kind: 'never' })
  })
})
