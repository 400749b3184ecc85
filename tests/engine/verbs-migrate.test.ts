import type { JsonObject } from '@lockstep/base'
import { workflow } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from './open-test-engine.ts'
import { chain, done, effect, ended, facts, healthy, until } from './verbs-fixture.ts'

const ask = (id: string, event = 'go') => ({ id, type: 'wait-for-event', inputs: { event } })
const say = (id: string, value: string) => ({ id, type: 'set-output', inputs: { name: 'said', value } })

async function publishNext(t: TestEngine, document: JsonObject & { readonly id: string }): Promise<void> {
  await t.engine.definitions.saveDraft('default', document.id, document, undefined)
  await t.engine.definitions.publish('default', document.id)
}

describe('migrate a graph', () => {
  it('goes on under the new names, with new variables, and its events find it', async () => {
    await using t = await openTestEngine()
    await t.publish(
      chain('g', [ask('ask'), say('out', 'old')], { variables: { kept: { type: 'string', default: 'old' } } }),
    )
    const { instanceId } = await t.engine.start({ definitionId: 'g' })
    await t.rests(instanceId, 'suspended')
    const next = chain(
      'g',
      [
        ask('question'),
        { id: 'out', type: 'set-output', inputs: { name: 'said', value: { $expr: '[vars.kept, vars.added]' } } },
      ],
      { variables: { kept: { type: 'string' }, added: { type: 'number', default: 3 } } },
    )
    await publishNext(t, next)
    expect(await t.engine.verbs.migrate(instanceId, { version: 2 })).toMatchObject({
      outcome: 'incompatible',
      problems: [{ code: 'NO_COUNTERPART', at: 'ask' }],
    })
    const mapping = { ask: 'question' }
    const plan = { definitionId: 'g', from: 1, to: 2 }
    expect(await t.engine.verbs.forecastMigration(plan)).toMatchObject({
      ...{ checked: 1, possible: 0, impossible: 1, complete: true, problems: { NO_COUNTERPART: 1 } },
      examples: [{ instanceId, problems: [{ at: 'ask' }] }],
    })
    expect(await t.engine.verbs.forecastMigration({ ...plan, mapping })).toMatchObject({ possible: 1, examples: [] })
    expect((await t.engine.get(instanceId)).version).toBe(1)
    expect(await t.engine.verbs.migrate(instanceId, { version: 2, mapping })).toEqual({ outcome: 'accepted' })
    await until(async () => (await t.engine.get(instanceId)).version === 2)
    await t.engine.publish({ name: 'go' })
    expect(await ended(t, instanceId)).toMatchObject({ status: 'completed', output: { said: ['old', 3] } })
    expect(await facts(t.engine, instanceId)).toEqual([
      ...['started', 'waiting ask', 'migrated', 'completed question', 'completed out', 'ended'],
    ])
    await healthy(t)
  })

  it('waits for code that runs, and hands what it was sent meanwhile to the new version', async () => {
    let open = (): void => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    let isAtWork = false
    const slow = effect('slow', async () => {
      isAtWork = true
      await gate
      return done()
    })
    await using t = await openTestEngine({ activities: [slow] })
    await t.publish(chain('g', [{ id: 'work', type: 'slow' }, say('out', 'old')]))
    const { instanceId } = await t.engine.start({ definitionId: 'g' })
    await until(() => isAtWork)
    await publishNext(t, chain('g', [{ id: 'work', type: 'slow' }, say('out', 'new')]))
    expect(await t.engine.verbs.migrate(instanceId, { version: 2 })).toEqual({ outcome: 'accepted' })
    expect(await t.engine.verbs.migrate(instanceId, { version: 2 })).toEqual({ outcome: 'already-requested' })
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect((await t.engine.get(instanceId)).version).toBe(1)
    open()
    expect(await ended(t, instanceId)).toMatchObject({ output: { said: 'new' } })
    await healthy(t)
  })

  it('keeps loops, joins and open branches going', async () => {
    await using t = await openTestEngine()
    const body = (...activities: JsonObject[]) => ({
      activities,
      connections: activities.slice(1).map((each, n) => ({ from: activities[n]!.id as string, to: each.id as string })),
    })
    const document = (extra: JsonObject[]) => ({
      id: 'g',
      variables: { n: { type: 'number', default: 0 } },
      activities: [
        { id: 'left', ...without(ask('left', 'left')) },
        { id: 'loop', type: 'for-each', inputs: { items: [1, 2, 3] }, body: body(ask('each', 'turn'), ...extra) },
        { id: 'join', type: 'set-output', inputs: { name: 'n', value: { $expr: 'vars.n' } } },
      ],
      connections: [
        { from: 'left', to: 'join' },
        { from: 'loop', to: 'join' },
      ],
    })
    await t.publish(document([]) as never)
    const { instanceId } = await t.engine.start({ definitionId: 'g' })
    await t.rests(instanceId, 'suspended')
    await t.engine.resume({ instanceId, bookmark: 'left' })
    await t.engine.resume({ instanceId, bookmark: 'turn' })
    await until(async () => (await facts(t.engine, instanceId)).includes('waiting loop[1].each'))
    await t.rests(instanceId, 'suspended')
    const count = { id: 'count', type: 'set-variable', inputs: { name: 'n', value: { $expr: 'vars.n + 1' } } }
    await publishNext(t, document([count]) as never)
    expect(await t.engine.verbs.migrate(instanceId, { version: 2 })).toEqual({ outcome: 'accepted' })
    await until(async () => (await t.engine.get(instanceId)).version === 2)
    for (const turn of [1, 2]) {
      await until(async () => (await facts(t.engine, instanceId)).includes(`waiting loop[${turn}].each`))
      expect(await t.engine.resume({ instanceId, bookmark: 'turn' })).toBe('resumed')
    }
    expect(await ended(t, instanceId)).toMatchObject({ status: 'completed', output: { n: 2 } })
    await healthy(t)
  })

  it('names what is wrong with the request', async () => {
    await using t = await openTestEngine()
    await t.publish(chain('g', [ask('ask')]))
    const { instanceId } = await t.engine.start({ definitionId: 'g' })
    await expect(t.engine.verbs.migrate(instanceId, { version: 1 })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    await expect(t.engine.verbs.migrate(instanceId, { version: 9 })).rejects.toMatchObject({
      code: 'DEFINITION_NOT_FOUND',
    })
    await publishNext(t, chain('g', [ask('ask'), say('out', 'x')]))
    expect(
      await t.engine.verbs.migrate(instanceId, { version: 2, mapping: { nobody: 'ask', ask: 'no' } }),
    ).toMatchObject({
      problems: [{ code: 'UNKNOWN_ACTIVITY' }, { code: 'UNKNOWN_ACTIVITY' }, { code: 'NO_COUNTERPART' }],
    })
  })
})

function without<T extends { readonly id: string }>({ id: _, ...rest }: T): Omit<T, 'id'> {
  return rest
}

describe('migrate a function', () => {
  const first = (version: number, name: string) =>
    workflow(
      'f',
      async (ctx) => {
        await ctx.step(name, () => 1)
        await ctx.waitFor('go')
        if (version > 1) await ctx.step('more', () => 2)
        return version
      },
      { version },
    )

  it('is taken over by a node that has the new code, when it fits; and refused when it does not', async () => {
    await using old = await openTestEngine({ workflows: [first(1, 'a')] })
    const { instanceId } = await old.engine.start({ definitionId: 'f' })
    await old.rests(instanceId, 'suspended')
    await using bad = await old.beside({ workflows: [first(2, 'b')] })
    expect(await bad.engine.verbs.migrate(instanceId, { version: 2 })).toMatchObject({
      outcome: 'incompatible',
      problems: [{ code: 'NON_DETERMINISTIC' }],
    })
    // A node without the code cannot look; whoever has it does, and leaves the instance where it was.
    expect(await old.engine.verbs.migrate(instanceId, { version: 2 })).toEqual({ outcome: 'accepted' })
    await until(async () => (await facts(old.engine, instanceId)).includes('refused'))
    expect((await old.engine.get(instanceId)).version).toBe(1)
    await bad.engine.close(1_000)

    await using good = await old.beside({ workflows: [first(3, 'a')] })
    expect(await good.engine.verbs.migrate(instanceId, { version: 3 })).toEqual({ outcome: 'accepted' })
    await until(async () => (await good.engine.get(instanceId)).version === 3)
    await good.engine.publish({ name: 'go' })
    expect(await ended(good, instanceId)).toMatchObject({ status: 'completed', output: 3 })
    await expect(good.engine.verbs.migrate(instanceId, { version: 1 })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    })
    await healthy(old)
  })
})

it('edits variables of a running instance, of their declared types', async () => {
  await using t = await openTestEngine()
  await t.publish(
    chain('g', [ask('ask'), { id: 'out', type: 'set-output', inputs: { name: 'n', value: { $expr: 'vars.n' } } }], {
      variables: { n: { type: 'number', default: 1 }, who: { type: 'string' } },
    }),
  )
  const { instanceId } = await t.engine.start({ definitionId: 'g' })
  await t.rests(instanceId, 'suspended')
  const { verbs } = t.engine
  await expect(verbs.setVariables(instanceId, { n: 'many' })).rejects.toMatchObject({
    message: expect.stringContaining('variables.n'),
  })
  await expect(verbs.setVariables(instanceId, { other: 1 })).rejects.toMatchObject({
    message: expect.stringContaining('n, who'),
  })
  await expect(verbs.setVariables(instanceId, {})).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  expect(await verbs.setVariables(instanceId, { n: 5 })).toEqual({ outcome: 'accepted' })
  await until(async () => (await t.engine.variables(instanceId))?.n === 5)
  await t.engine.publish({ name: 'go' })
  expect(await ended(t, instanceId)).toMatchObject({ output: { n: 5 } })
  expect(await verbs.setVariables(instanceId, { n: 6 })).toEqual({ outcome: 'wrong-state', status: 'completed' })
})
