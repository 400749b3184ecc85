/** Copies of instances that are undoing what they did: that is the original's to undo. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from './open-test-engine.ts'
import { done, effect, ended, facts, healthy, until } from './verbs-fixture.ts'

let hold: () => void = () => {}
let undone: string[] = []
const books = effect('books', async () => done())
/** Undoes when the test says so; copies need not wait. */
const unbooks = effect('unbooks', async (_, { step }) => {
  undone.push(step)
  if (undone.length === 1)
    await new Promise<void>((resolve) => {
      hold = resolve
    })
  return done()
})

const book = {
  ...{ id: 'book', type: 'books' },
  compensate: { activities: [{ id: 'unbook', type: 'unbooks' }] },
}
const fails = {
  activities: [book, { id: 'fails', type: 'fault', inputs: { message: 'no' } }],
  connections: [{ from: 'book', to: 'fails' }],
}
const guarded = {
  id: 'undoes-a-part',
  activities: [
    {
      ...{ id: 'guard', type: 'try', body: fails },
      catch: {
        activities: [
          { id: 'undo', type: 'compensate' },
          { id: 'out', type: 'set-output', inputs: { name: 'undone', value: { $expr: 'steps.undo.output.undone' } } },
        ],
        connections: [{ from: 'undo', to: 'out' }],
      },
    },
  ],
}

let t: TestEngine
beforeAll(async () => {
  t = await openTestEngine({ activities: [books, unbooks] })
  await t.publish({ id: 'undoes-all', ...fails } as never)
  await t.publish(guarded as never)
})
afterAll(() => t?.[Symbol.asyncDispose]())

async function undoing(definitionId: string): Promise<string> {
  undone = []
  const { instanceId } = await t.engine.start({ definitionId })
  await until(() => undone.length === 1)
  return instanceId
}

it('of one that is undone as a whole there is nothing to copy', async () => {
  const id = await undoing('undoes-all')
  const nothing = { outcome: 'nothing-to-do', status: 'compensating' }
  expect(await t.engine.verbs.fork(id)).toMatchObject(nothing)
  hold()
  expect(await ended(t, id)).toMatchObject({ status: 'faulted' })
  const at = (await facts(t.engine, id)).indexOf('failed fails') + 1
  expect(await t.engine.verbs.fork(id, { at })).toMatchObject(nothing)
  expect(await t.engine.verbs.fork(id)).toMatchObject({ outcome: 'nothing-to-do', status: 'faulted' })
  await healthy(t)
})

it('one that undoes a part of it on its way goes on in the copy, which has nothing of that to undo', async () => {
  const id = await undoing('undoes-a-part')
  const forked = await t.engine.verbs.fork(id)
  if (!('instanceId' in forked)) throw new Error(JSON.stringify(forked))
  expect(await ended(t, forked.instanceId)).toMatchObject({ status: 'completed', output: { undone: 0 } })
  hold()
  expect(await ended(t, id)).toMatchObject({ status: 'completed', output: { undone: 1 } })
  expect(undone).toHaveLength(1)
  await healthy(t)
})
