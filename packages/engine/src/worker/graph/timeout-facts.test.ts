import { expect, it } from 'vitest'
import { oneEngine } from './simulated-engine.fixture.ts'

const wait = (id: string) => ({ id, type: 'wait-for-event', inputs: { event: id, timeout: '100ms' } })

it('time-outs of one moment are written together, but for those that an earlier one cancels', async () => {
  const document = {
    id: 'late',
    activities: [
      {
        id: 'race',
        type: 'parallel',
        inputs: { join: 'any' },
        branches: [{ activities: [wait('a')] }, { activities: [wait('b')] }],
      },
      wait('c'),
      wait('d'),
    ],
  }
  const engines = await oneEngine(document, [])
  const id = await engines.start(engines.only, 'late')
  expect(await engines.end(engines.only, id)).toMatchObject({ status: 'completed' })
  const facts = engines.facts(id)
  expect(facts.filter((fact) => fact.startsWith('completed')).sort()).toEqual([
    'completed c timeout',
    'completed d timeout',
    'completed race[0].a timeout',
  ])
  const moments = new Set(
    engines.sim.store
      .inspect()
      .journal.get(id)!
      .filter(({ kind }) => kind === 'completed')
      .map(({ at }) => at),
  )
  expect(moments.size).toBe(1)
  expect(engines.sim.check()).toEqual([])
})
