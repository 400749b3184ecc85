import { expect, it } from 'vitest'
import { lastChanges } from './last-changes.ts'

const entry = (target: string, minute: number, who: string) => ({
  at: new Date(minute * 60_000).toISOString(),
  actor: { id: who },
  operation: 'saveWorkflowDraft',
  target,
})

it('are the newest of each workflow, whatever order they come in', () => {
  const found = lastChanges([
    entry('order', 1, 'user:ann'),
    entry('order', 3, 'user:ben'),
    entry('pay', 2, 'anonymous'),
  ])
  expect(found.get('order')).toEqual({ at: new Date(180_000).toISOString(), who: 'ben' })
  expect(found.get('pay')?.who).toBeUndefined()
})
