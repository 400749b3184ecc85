import { describe, expect, it } from 'vitest'
import { compatibility, readMigrations } from './migration-files.ts'

describe('what a migration declares', () => {
  it.each([
    ['nothing', '-- 0018_more.sql  Adds a column.\nalter table a add column b int4;', {}],
    [
      'the oldest node that may go on',
      '-- 0018_more.sql  Adds a column.\n-- compatible-from: 0016\nselect 1;',
      { compatibleFrom: 16 },
    ],
    ['nothing, when the words stand within a line', 'select 1; -- compatible-from: 0016', {}],
  ])('is %s', (_what, sql, declared) => {
    expect(compatibility(sql)).toEqual(declared)
  })

  it('never names a node that knows it anyway', async () => {
    for (const { name, number, compatibleFrom = 0 } of await readMigrations())
      expect(compatibleFrom, name).toBeLessThan(number)
  })
})
