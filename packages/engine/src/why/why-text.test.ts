import { expect, it } from 'vitest'
import { adviceFor } from './why-text.ts'

it.each([
  ['person', /make a link/],
  ['worker', /Start a worker/],
] as const)('advises what people do about a task for a %s, not which address a program asks', (by, text) => {
  const wait = { kind: 'signal', by, name: 'approve', step: 'ask', since: 0 } as const
  const [advice, ...others] = adviceFor({
    ...{ definitionId: 'd', version: 1, status: 'suspended', state: 'waiting', since: 0, movesAt: undefined },
    ...{ heldBy: undefined, queue: undefined, blockers: [], incidents: [] },
    waitsFor: [{ ...wait, bookmarkId: 'b', expiresAt: undefined }],
  })
  expect(others).toEqual([])
  expect(advice).toContain('"approve"')
  expect(advice).toMatch(text)
  expect(advice).not.toMatch(/GET|\//)
})
