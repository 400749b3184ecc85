import { expect, it } from 'vitest'
import { workflowsRun } from './workflows-run.ts'

it('finds the workflows that a document runs, however deep, once each', () => {
  const run = (id: string, definitionId: unknown, type = 'run-workflow') => ({
    id,
    type,
    inputs: { definitionId } as never,
  })
  expect(
    workflowsRun({
      id: 'w',
      activities: [
        run('a', 'z'),
        run('b', { $expr: 'input.which' }),
        run('c', 'ignored', 'log'),
        { id: 'p', type: 'parallel', branches: [{ activities: [run('d', 'y', 'bulk-run')] }] },
        {
          id: 't',
          type: 'try',
          body: { activities: [run('e', 'z')] },
          catch: { activities: [run('f', 'x')] },
          finally: { activities: [run('g', 'w')] },
        },
        { id: 'none', type: 'run-workflow' },
      ],
    }),
  ).toEqual(['w', 'x', 'y', 'z'])
})
