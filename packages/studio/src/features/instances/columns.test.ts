import { describe, expect, it } from 'vitest'
import type { Instance } from '../../api/wire.ts'
import { columnsOf, columnValue } from './columns.ts'

const row = { input: { customer: { id: 42 } }, output: null, version: 3 } as unknown as Instance

describe('columns of the list', () => {
  it('are read from the address, without what means nothing', () => {
    expect(columnsOf('version,input.customer.id,colour,input')).toEqual(['version', 'input.customer.id'])
    expect(columnsOf(undefined)).toEqual([])
  })

  it.each([
    ['input.customer.id', '42'],
    ['input.customer', '{"id":42}'],
    ['output.total', ''],
    ['version', '3'],
  ])('%s is %s', (column, text) => expect(columnValue(row, column)).toBe(text))
})
