import { expect, it } from 'vitest'
import { Problem } from './problem.ts'

it.each([
  ['/problems/instance-not-found', '/problems/instance-not-found'],
  ['/some/base/problems/instance-not-found', '/problems/instance-not-found'],
  ['about:blank', undefined],
])('finds the page of a problem whose type is %s', (type, page) => {
  expect(new Problem(404, { type }).page).toBe(page)
})
