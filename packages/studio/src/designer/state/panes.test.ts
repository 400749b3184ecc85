import { expect, it } from 'vitest'
import { readPanes } from './panes.ts'

it('takes from what was kept only what can be meant', () => {
  expect(readPanes('{"side":false,"inspector":true}')).toEqual({ side: false, inspector: true })
  expect(readPanes('{"side":"no"}')).toEqual({})
  expect(readPanes('not json')).toEqual({})
  expect(readPanes('null')).toEqual({})
  expect(readPanes(null)).toEqual({})
})
