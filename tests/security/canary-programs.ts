import { defineActivity, workflow } from '@lockstep/engine'
import Type from 'typebox'

/** Code that does with its secret all that it should not. */
export const careless = workflow('careless', async (ctx) => {
  const own = await ctx.secret('of-functions')
  await ctx.publish('spilled', { own })
  const told = await ctx.step('tells', async (step) => {
    const value = await step.secret('of-steps')
    step.progress({ done: 1, note: `at ${value}` })
    step.heartbeat({ value })
    await step.emit({ value, own })
    return { value, own, coded: Buffer.from(`ann:${value}`).toString('base64') }
  })
  await ctx.step(
    'stumbles',
    async (step) => {
      if (step.attempt < 2) throw new Error(`could not sign in with ${await step.secret('of-steps')}`)
      return own
    },
    { retry: { attempts: 2, initial: '1ms' }, compensate: (result) => `undid ${String(result)} ${own}` },
  )
  const child = await ctx.run('repeating', { own })
  return { own, told, child }
})

export const repeating = workflow('repeating', async (_ctx, input: unknown) => input)

export const failing = workflow('failing', async (ctx) => {
  const own = await ctx.secret('of-functions')
  await ctx.step('does', () => own, { compensate: (result) => `${String(result)} ${own}` })
  throw new Error(`ended with ${own}`)
})

export const spilling = defineActivity({
  type: 'spilling',
  title: 'Spilling',
  description: 'Tells its secret wherever it can.',
  inputs: Type.Object({ given: Type.String(), fails: Type.Optional(Type.Boolean()) }),
  run: async ({ given, fails }, context) => {
    const value = await context.secret('of-activities')
    context.logger.info(`has ${value}`, { value, given, nested: { list: [value] } })
    context.progress({ note: value })
    await context.emit({ value })
    if (fails === true) throw Object.assign(new Error(`refused ${value}`), { details: { given, value } })
    return { output: { value, given, [value]: encodeURIComponent(given) } }
  },
})

/** Graphs that send secrets out, and get them back in every way. */
export function canaryDocuments(sink: string): readonly { readonly id: string }[] {
  const auth = { authorization: { $secret: 'of-headers', prefix: 'Bearer ' }, 'x-old': { secret: 'of-older' } }
  const request = (path: string, more: object = {}) => ({
    type: 'http-request',
    inputs: { method: 'POST', url: `${sink}${path}`, headers: auth, body: { t: { $secret: 'of-bodies' } }, ...more },
  })
  const chain = (id: string, ...activities: readonly object[]) => {
    const named = activities.map((each, at) => ({ id: `s${at}`, ...each }))
    const connections = named.slice(1).map((_, at) => ({ from: `s${at}`, to: `s${at + 1}` }))
    return { id, variables: { seen: {} }, activities: named, connections }
  }
  const out = { type: 'set-output', inputs: { name: 'got', value: { $expr: 'steps.s0.output' } } }
  const undo = { activities: [{ id: 'undo', ...request('/echo') }] }
  return [
    chain(
      'success',
      request('/echo', { query: { q: 'plain' } }),
      { type: 'set-variable', inputs: { name: 'seen', value: { $expr: 'steps.s0.output' } } },
      { type: 'log', inputs: { message: { $expr: 'JSON.stringify(vars.seen)' } } },
      { type: 'publish-event', inputs: { event: 'seen', payload: { $expr: 'vars.seen' } } },
      out,
    ),
    chain('url', { type: 'http-request', inputs: { url: { $secret: 'of-urls' } } }, out),
    chain('refused', request('/refuse')),
    chain('retried', { ...request('/flaky'), retry: { attempts: 3, backoff: { initial: '1ms' } } }, out),
    chain('outcome', { ...request('/refuse', { unexpectedStatus: 'outcome' }) }),
    chain('caught', { ...request('/refuse'), onError: 'continue' }, { type: 'log', inputs: { message: 'on' } }),
    chain('compensated', { ...request('/echo'), compensate: undo }, { type: 'fault', inputs: { message: 'enough' } }),
    chain('long', request('/long')),
    chain('hook', {
      type: 'webhook',
      inputs: { url: `${sink}/refuse`, event: 'paid', secret: 'of-hooks', payload: { t: { $secret: 'of-bodies' } } },
    }),
    chain(
      'queried',
      { type: 'sql-query', inputs: { query: 'select $1 as v', parameters: [{ $secret: 'of-sql' }] } },
      out,
    ),
    chain('miscast', {
      type: 'sql-query',
      inputs: { query: 'select $1::int as v', parameters: [{ $secret: 'of-sql' }] },
    }),
    chain('spilled', { type: 'spilling', inputs: { given: { $secret: 'of-bodies' } } }, out),
    chain('spoiled', { type: 'spilling', inputs: { given: { $secret: 'of-bodies' }, fails: true } }),
  ]
}

export const canaryNames = [
  ...[
    'of-functions',
    'of-steps',
    'of-activities',
    'of-headers',
    'of-older',
    'of-bodies',
    'of-urls',
    'of-hooks',
    'of-sql',
  ],
] as const
