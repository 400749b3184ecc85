import './with-resolvers.mjs'
import * as restate from '@restatedev/restate-sdk'

const trivial = async (value) => value + 1

export const steps = restate.service({
  name: 'steps',
  handlers: {
    three: async (ctx, n) => {
      const a = await ctx.run('s1', () => trivial(n))
      const b = await ctx.run('s2', () => trivial(a))
      return ctx.run('s3', () => trivial(b))
    },
  },
})

export const waiter = restate.workflow({
  name: 'waiter',
  handlers: {
    run: (ctx) => ctx.promise('go').get(),
    go: (ctx, payload) => ctx.promise('go').resolve(payload),
  },
})
