// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are texts that hold templates
import { expect, it } from 'vitest'
import { withReference } from './with-reference.ts'

it('makes an expression of a plain value, and keeps the text around what it speaks of', () => {
  expect(withReference(undefined, 'input.amount')).toEqual({ $expr: 'input.amount' })
  expect(withReference('', 'input.amount')).toEqual({ $expr: 'input.amount' })
  expect(withReference('Order of ', 'input.amount')).toEqual({ $expr: '`Order of ${input.amount}`' })
  expect(withReference('a `b` ${c} \\d ', 'vars.e')).toEqual({ $expr: '`a \\`b\\` \\${c} \\\\d ${vars.e}`' })
  expect(withReference(7, 'vars.e')).toEqual({ $expr: 'vars.e' })
  expect(withReference({ $expr: 'input.a +' }, 'vars.e')).toEqual({ $expr: 'input.a + vars.e' })
  expect(withReference({ $expr: '' }, 'vars.e')).toEqual({ $expr: 'vars.e' })
})
