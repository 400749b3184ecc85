import { expect, it } from 'vitest'
import { statement } from './statement.ts'

it('a statement has a name that the server keeps whole', () => {
  expect(statement('lease_release', () => [], 'select 1')).toMatchObject({ name: 'lease_release', readOnly: false })
  for (const name of ['', 'Upper', 'with-dash', '1st', 'x'.repeat(64)]) {
    expect(() => statement(name, () => [], 'select 1')).toThrow(/snake_case/)
  }
})
