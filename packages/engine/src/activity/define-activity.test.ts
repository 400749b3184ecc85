import { silentLogger } from '@lockstep/base'
import Type from 'typebox'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { ActivityContext } from './activity-handler.ts'
import { activityRegistry } from './activity-registry.ts'
import { defineActivity } from './define-activity.ts'

const context: ActivityContext = {
  instanceId: 'i',
  definitionId: 'd',
  correlationId: undefined,
  step: 's',
  attempt: 1,
  idempotencyKey: 'i:s',
  signal: new AbortController().signal,
  logger: silentLogger,
} as ActivityContext

const sms = (run: Parameters<typeof make>[0]) => make(run)
function make(run: (inputs: { to: string; urgent?: boolean }) => unknown) {
  return defineActivity({
    type: 'send-sms',
    title: 'Send SMS',
    description: 'Sends a text message.',
    icon: 'message',
    category: 'Messaging',
    docs: '# More',
    inputs: Type.Object({ to: Type.String(), urgent: Type.Optional(Type.Boolean()) }),
    outputs: Type.Object({ id: Type.String() }),
    outcomes: ['done', 'rejected'],
    run: (inputs, { idempotencyKey }) => {
      expectTypeOf(inputs).toEqualTypeOf<{ to: string; urgent?: boolean }>()
      expectTypeOf(idempotencyKey).toBeString()
      return run(inputs) as { output: { id: string }; outcome?: 'done' | 'rejected' }
    },
  })
}

describe('an activity of an application', () => {
  it('describes itself to the catalogue, as plain data', () => {
    const activity = sms(() => ({ output: { id: '1' } }))
    const { run: _, ...type } = activity
    expect(JSON.parse(JSON.stringify(type))).toEqual(type)
    expect(activityRegistry([activity]).get('send-sms')).toMatchObject({
      ...{ title: 'Send SMS', icon: 'message', category: 'Messaging', docs: '# More', outcomes: ['done', 'rejected'] },
      inputs: { type: 'object', additionalProperties: false, required: ['to'] },
      output: { properties: { id: { type: 'string' } } },
    })
  })

  it('completes through the outcome that its code chose, done by default', async () => {
    expect(await sms(() => ({ output: { id: '1' } })).run({ to: 'x' }, context)).toEqual({
      kind: 'completed',
      outcome: 'done',
      output: { id: '1' },
    })
    expect(await sms(() => ({ output: { id: '1' }, outcome: 'rejected' })).run({ to: 'x' }, context)).toMatchObject({
      outcome: 'rejected',
    })
    const only = { type: 'only', title: 'T', description: 'D.', inputs: Type.Object({}), outcomes: ['sent'] as const }
    expect(await defineActivity({ ...only, run: () => ({}) }).run({}, context)).toEqual({
      kind: 'completed',
      outcome: 'sent',
    })
  })

  it.each([
    [{ output: { id: 1 } }, /"\/id" must be string/],
    [{}, /output that does not fit/],
    [{ output: { id: '1' }, outcome: 'lost' }, /outcome "lost", which is none of done, rejected/],
    [{ output: { id: '1' }, id: '1' }, /gave back "id": put it into "output"/],
    ['text', /must give back an object/],
    [[], /must give back an object/],
  ])('fails when its code gives back %j', async (answer, message) => {
    await expect(sms(() => answer).run({ to: 'x' }, context)).rejects.toMatchObject({
      message: expect.stringMatching(message),
      details: { faultCode: 'INVALID_RESULT' },
    })
  })

  it.each([
    [{ type: 'Send SMS' }, /type" must be kebab-case/],
    [{ title: '' }, /title/],
    [{ description: ' ' }, /description/],
    [{ inputs: Type.String() }, /inputs" must be a schema made with Type.Object/],
    [{ inputs: { type: 'object', properties: { a: { type: 'strnig' } } } }, /inputs" must be a JSON schema/],
    [{ icon: 'https://example.org/x.svg' }, /icon/],
    [{ icon: 'data:image/svg+xml;utf8,<svg onload=1>' }, /icon/],
    [{ outcomes: [] }, /outcomes/],
    [{ outcomes: ['failed'] }, /"failed" is taken/],
    [{ outcomes: ['a', 'a'] }, /each name stands once/],
    [{ run: undefined }, /run" must be a function/],
  ])('is refused with %j', (wrong, message) => {
    const sound = { type: 'x', title: 'X', description: 'X.', inputs: Type.Object({}), run: () => ({}) }
    expect(() => defineActivity({ ...sound, ...wrong } as never)).toThrow(message)
  })

  it('knows at compile time what its code may give back', () => {
    const base = { type: 'x', title: 'X', description: 'X.', inputs: Type.Object({}) }
    // @ts-expect-error: no such outcome
    defineActivity({ ...base, outcomes: ['yes', 'no'], run: () => ({ outcome: 'maybe' as const }) })
    // @ts-expect-error: an output of another type
    defineActivity({ ...base, outputs: Type.Object({ n: Type.Number() }), run: () => ({ output: { n: 'one' } }) })
    const inTransaction = defineActivity({
      ...base,
      runs: 'transaction',
      run: async (_, { tx }) => ({ output: await tx.query('select 1') }),
    })
    expect(inTransaction.runs).toBe('transaction')
  })
})

describe('the registry', () => {
  const named = (type: string, answer: string) =>
    defineActivity({ type, title: 'T', description: 'D.', inputs: Type.Object({}), run: () => ({ output: answer }) })

  it('puts new code in the place of the old at one stroke, and keeps the built-in', async () => {
    const registry = activityRegistry([named('a', 'old'), named('b', 'old')])
    const begun = registry.handler('a')
    registry.replace([named('a', 'new'), named('c', 'new')])
    expect(await begun!.run({}, context as never)).toMatchObject({ output: 'old' })
    expect(await registry.handler('a')!.run({}, context as never)).toMatchObject({ output: 'new' })
    expect(registry.handler('b')).toBeUndefined()
    expect(registry.types()).toContain('c')
    expect(registry.types()).not.toContain('b')
    expect(registry.handler('log')).toBeDefined()
  })

  it('stays as it was when the new ones do not fit together', () => {
    const registry = activityRegistry([named('a', 'old')])
    const before = registry.types()
    expect(() => registry.replace([named('b', 'new'), named('b', 'new')])).toThrow(/Two activities are called "b"/)
    expect(() => registry.replace([named('log', 'mine')])).toThrow(/Two activities are called "log"/)
    expect(() => registry.replace([named('http-request', 'mine')])).toThrow(/Two activities are called "http-request"/)
    expect(registry.types()).toEqual(before)
  })
})
