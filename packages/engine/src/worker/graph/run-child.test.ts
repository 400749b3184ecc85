import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { simulatedStore } from '@lockstep/testing/simulation'
import { expect, it } from 'vitest'
import { Engine } from '../../engine.ts'

/** What only the sandbox can evaluate: in another thread, a few turns later. Not so much that a busy machine takes it for endless. */
const SLOW = '(() => { let sum = 0; for (let n = 0; n < 3e3; n += 1) sum += n % 2; return sum })()'

it('starts the child that the last owner could not, however long its inputs take to evaluate', async () => {
  const { direct: store } = simulatedStore({ clock, random })
  const dying = {
    ...store,
    commits: {
      ...store.commits,
      commit: (batch: Parameters<typeof store.commits.commit>[0]) =>
        batch.starts.some(({ parentId }) => parentId !== undefined)
          ? new Promise<never>(() => {}) // its owner dies first
          : store.commits.commit(batch),
    },
  }
  const first = await Engine.open({ store: dying, clock, random, name: 'first' })
  for (const document of [
    {
      id: 'child',
      activities: [{ id: 'out', type: 'set-output', inputs: { name: 'got', value: { $expr: 'input' } } }],
    },
    {
      id: 'parent',
      activities: [{ id: 'kid', type: 'run-workflow', inputs: { definitionId: 'child', input: { $expr: SLOW } } }],
    },
  ]) {
    await first.definitions.create('default', document)
    await first.definitions.publish('default', document.id)
  }
  const { instanceId } = await first.start({ definitionId: 'parent' })
  await expect.poll(async () => (await first.journal(instanceId)).map(({ kind }) => kind)).toContain('waiting')
  await first.close(0)
  const second = await Engine.open({ store, clock, random, name: 'second' })
  try {
    expect(await second.waitForEnd(instanceId, { limitMs: 60_000 })).toMatchObject({ status: 'completed' })
    const [child] = await second.list({ definitionId: 'child' }, 10)
    expect(child).toMatchObject({ status: 'completed', output: { got: 1_500 } })
  } finally {
    await second.close(0)
  }
})
